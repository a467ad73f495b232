/**
 * Upgrades an add-on that has no data. One that should run is proved first: the journal names the new generation only
 * after its process got ready, so a crash during that start leaves the former one in place (07:9-16). What a candidate
 * wrote before it failed is removed before the former one runs again (`candidate-data.ts`).
 */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { findInstalled } from '../../projections/installed.js';
import { dataDirectory, holdsData } from './data-directory.js';
import { type Published, type Selection, selection, stageAndPublish } from './staging.js';
import { notInstalled } from './switching.js';
import type { LifecycleParts, Order, Prepared, UseCase } from './use-case.js';

const UNSUPPORTED = refuse(
  'upgrade_unsupported',
  'The add-on keeps data, and this version cannot back data up before an upgrade. Nothing changed.',
);

const hasData = (parts: LifecycleParts, addonId: string): Promise<boolean> =>
  holdsData(dataDirectory(parts.context.dataRoot, addonId));

async function admit(parts: LifecycleParts, order: Order<Selection>): Promise<Either<Refusal, void>> {
  if (findInstalled(parts.context.store.ahead, order.addonId) === undefined) return left(notInstalled);
  return (await hasData(parts, order.addonId)) ? left(UNSUPPORTED) : right(undefined);
}

async function prepare(parts: LifecycleParts, order: Order<Selection>): Promise<Either<Refusal, Prepared>> {
  const { addonId } = order;
  const published = await stageAndPublish(parts, order, { purpose: 'upgrade', dataRetained: true });
  if (isLeft(published)) return published;
  const { generation, change } = published.right;
  const enabled = findInstalled(parts.context.store.visible, addonId)?.enabled === true;
  if (!enabled) return right({ generation: generation.generation, changes: [change] });
  const proved = await prove(parts, order, published.right);
  if (isLeft(proved)) return proved;
  const takeBack = () => parts.sync.retreat(addonId);
  return right({ generation: generation.generation, changes: [], takeBack });
}

async function prove(
  parts: LifecycleParts,
  order: Order<Selection>,
  { generation, change }: Published,
): Promise<Either<Refusal, void>> {
  const { context, sync, progress } = parts;
  // The number is spent before a process carries it, so that no later generation can be mistaken for this one.
  const recorded = await context.store.commit({ changes: [change] }, { operationId: order.operationId });
  if (isLeft(recorded)) return recorded;
  progress.set(order.operationId, { phase: 'starting' });
  let wroteData = false;
  const proved = await sync.prove(order.addonId, generation, async () => {
    wroteData = await hasData(parts, order.addonId);
    return wroteData ? left({ reason: 'the add-on wrote data meanwhile' }) : right(undefined);
  });
  if (!isLeft(proved)) return right(undefined);
  if (wroteData) return left(UNSUPPORTED);
  context.log.warn({ addonId: order.addonId, reason: proved.left.reason }, 'A new generation did not start');
  return left(
    refuse('upgrade_failed', 'The new version did not start, so the former one stays installed and was started again.'),
  );
}

export const upgrade: UseCase<Selection> = { arguments: selection, admit, prepare };
