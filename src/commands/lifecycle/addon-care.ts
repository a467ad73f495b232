/** What an administrator sees and sets of one installed add-on's process: its recent output, its limits, its use. */
import { type AddonLimits, type AddonLimitsView, LIMIT_NAMES } from '../../contract/addon-limits.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { findInstalled } from '../../projections/installed.js';
import { limitsKind } from '../../projections/kinds/limits.js';
import type { OwnerContext } from '../context.js';
import type { Caller } from '../gateway.js';

const absent = refuse('not_found', 'There is no installed add-on with this id.');

/** The last lines the add-on wrote, oldest first: at most 200 of at most 4096 bytes. Refuses `not_found`. */
export function outputOf(context: OwnerContext, addonId: string): Either<Refusal, { lines: readonly string[] }> {
  return findInstalled(context.store.visible, addonId) === undefined
    ? left(absent)
    : right({ lines: context.runtimes.log(addonId) });
}

/** Refuses `not_found`. */
export function limitsView(context: OwnerContext, addonId: string): Either<Refusal, AddonLimitsView> {
  if (findInstalled(context.store.visible, addonId) === undefined) return left(absent);
  const limits = context.store.visible.get(limitsKind, addonId);
  const { heldBy, use } = context.runtimes.use(addonId);
  const all = Object.fromEntries(LIMIT_NAMES.map((name) => [name, limits[name] ?? null]));
  return right({ ...all, heldBy, ...(use === undefined ? {} : { use }) } as AddonLimitsView);
}

/**
 * Records the whole set of limits and holds the running process to it. Refuses `not_found`, `insufficient_storage`,
 * `fenced` (nothing changed) and `outcome_unknown`.
 */
export async function setLimits(
  context: OwnerContext,
  { actor }: Caller,
  addonId: string,
  limits: AddonLimits,
): Promise<Either<Refusal, AddonLimitsView>> {
  if (findInstalled(context.store.visible, addonId) === undefined) return left(absent);
  const change = context.store.decide(limitsKind, addonId, { type: 'set-limits', limits });
  if (isLeft(change)) return change;
  const done = await context.store.commit({ changes: [change.right] }, { actor });
  if (isLeft(done)) return done;
  context.runtimes.limitsChanged(addonId);
  return limitsView(context, addonId);
}
