/** Runs one operation through its phases; each is on disk before the next step begins (06:272-278). */
import type { OperationAction } from '../../aggregates/operation.js';
import type { Actor } from '../../contract/actor.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { findInstalled } from '../../projections/installed.js';
import { type OperationDesk, outcomeUnknown } from './desk.js';
import { effectOf } from './effects.js';
import type { LifecycleParts, Order, UseCase } from './use-case.js';

export interface Job<A> extends Order<A> {
  readonly action: OperationAction;
  readonly actor: Actor;
  readonly digest: string;
  readonly useCase: UseCase<A>;
  /** Called once the intent is on disk. */
  readonly onIntent: () => void;
}

/** Right when the operation is completed on disk; the process of the add-on has not followed yet. */
export async function execute<A>(
  parts: LifecycleParts,
  desk: OperationDesk,
  job: Job<A>,
): Promise<Either<Refusal, void>> {
  const { operationId, addonId, action, actor, digest } = job;
  const admitted = await job.useCase.admit(parts, job);
  if (isLeft(admitted)) return admitted;
  const generation = findInstalled(parts.context.store.ahead, addonId)?.generation ?? 0;
  const intent = await desk.step(operationId, actor, { type: 'request', action, addonId, digest, generation });
  if (isLeft(intent)) return intent;
  job.onIntent();
  try {
    return await afterIntent(parts, desk, job);
  } catch (fault) {
    parts.context.log.error({ action, addonId, operationId, fault: describe(fault) }, 'Addon operation failed');
    const refusal = refuse('unavailable', 'The operation met an internal fault and was not carried out.', {
      operationId,
    });
    return fail(desk, job, refusal);
  }
}

async function afterIntent<A>(parts: LifecycleParts, desk: OperationDesk, job: Job<A>): Promise<Either<Refusal, void>> {
  const { context } = parts;
  const { operationId, addonId, action, actor } = job;
  const prepared = await job.useCase.prepare(parts, job);
  if (isLeft(prepared)) {
    const { refusal, message } = prepared.left;
    context.log.warn({ action, addonId, operationId, refusal, reason: message }, 'Addon operation failed');
    return fail(desk, job, prepared.left);
  }
  const { generation, changes, takeBack } = prepared.right;
  const written = await desk.step(operationId, actor, { type: 'prepare', generation }, changes);
  if (isLeft(written)) {
    await takeBack?.();
    return left(unrecorded(operationId));
  }
  const effect = effectOf(context.store, { action, addonId, generation });
  if (isLeft(effect)) {
    await takeBack?.();
    return fail(desk, job, effect.left);
  }
  const applied = await desk.step(operationId, actor, { type: 'apply' }, effect.right);
  if (isLeft(applied)) return left(unrecorded(operationId));
  const completed = await desk.step(operationId, actor, { type: 'complete' });
  return isLeft(completed) ? left(unrecorded(operationId)) : right(undefined);
}

/** Records the failure and answers why; a failure that cannot be recorded leaves the outcome open. */
async function fail<A>(desk: OperationDesk, job: Job<A>, why: Refusal): Promise<Either<Refusal, never>> {
  const recorded = await desk.step(job.operationId, job.actor, { type: 'fail', code: why.refusal });
  if (isLeft(recorded)) return left(unrecorded(job.operationId));
  return left({ ...why, detail: { ...why.detail, operationId: job.operationId } });
}

/** What follows a recorded intent and could not be recorded itself is finished or failed before the next command. */
const unrecorded = (operationId: string): Refusal =>
  outcomeUnknown(
    operationId,
    'The operation could not be recorded to its end. Look it up with operation-status before trying anything else.',
  );

const describe = (fault: unknown): string =>
  fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
