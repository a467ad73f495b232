/**
 * Finishes what a stop, a crash or a full disk left unfinished. An intent is failed and nothing of it is repeated;
 * what was prepared or applied is finished from its recorded generation, without the catalog (06:274-278).
 */
import type { StartedOperation } from '../../aggregates/operation.js';
import { type Either, isLeft, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import { operationKind } from '../../projections/kinds/operation.js';
import type { OwnerContext } from '../context.js';
import type { OperationDesk } from './desk.js';
import { effectOf } from './effects.js';

type Parts = { readonly context: Pick<OwnerContext, 'store' | 'log'>; readonly desk: OperationDesk };

/** The ids of unfinished operations that `mine` does not run at this moment. */
export function unfinished(parts: Parts, running: (operationId: string) => boolean): readonly string[] {
  const live = parts.context.store.ahead.all(operationKind);
  return [...live.keys()].filter((operationId) => !running(operationId));
}

/** Brings one unfinished operation to its end; answers the add-on whose process may have to follow. */
export async function finish(parts: Parts, operationId: string): Promise<Either<Refusal, string>> {
  const { context } = parts;
  const found = context.store.ahead.get(operationKind, operationId);
  if (found.phase === 'none') return right('');
  context.log.info({ operationId, phase: found.phase }, 'Finishing an operation that was interrupted');
  const done =
    found.phase === 'intent' ? await failIntent(parts, operationId, found) : await complete(parts, operationId);
  return isLeft(done) ? done : right(found.addonId);
}

async function complete(parts: Parts, operationId: string): Promise<Either<Refusal, void>> {
  const applied = await apply(parts, operationId);
  if (isLeft(applied)) return applied;
  // What could not be applied is failed by now, and a failed operation is at its end.
  const { phase } = parts.context.store.ahead.get(operationKind, operationId);
  return phase === 'applied' ? parts.desk.step(operationId, undefined, { type: 'complete' }) : right(undefined);
}

function failIntent(parts: Parts, operationId: string, found: StartedOperation): Promise<Either<Refusal, void>> {
  const code = found.action === 'catalog-source-refresh' ? 'outcome_unknown' : 'denied';
  return parts.desk.step(operationId, undefined, { type: 'fail', code });
}

/** From `prepared` to `applied`; nothing to do for one that is applied already. */
async function apply({ context, desk }: Parts, operationId: string): Promise<Either<Refusal, void>> {
  const found = context.store.ahead.get(operationKind, operationId);
  if (found.phase !== 'prepared') return right(undefined);
  const effect = effectOf(context.store, found);
  if (isLeft(effect)) return desk.step(operationId, undefined, { type: 'fail', code: effect.left.refusal });
  return desk.step(operationId, undefined, { type: 'apply' }, effect.right);
}
