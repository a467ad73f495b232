/** The records of operations: finding what an id was used for, and making each phase durable before the next step. */
import { type Operation, type OperationCommand, operation, type StartedOperation } from '../../aggregates/operation.js';
import type { Actor } from '../../contract/actor.js';
import type { OperationStatus } from '../../contract/api.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Json } from '../../contract/json.js';
import { errorOf, type Refusal, type RefusalCode, refuse } from '../../contract/refusal.js';
import type { OperationEvent } from '../../events/catalogue/operation.js';
import type { Recorded } from '../../events/event.js';
import { sha256Hex } from '../../events/sha256.js';
import { operationKind } from '../../projections/kinds/operation.js';
import { type OwnerState, streamName } from '../../projections/owner-state.js';
import type { Change, Store } from '../store.js';

/** What a repeat of a failed operation says, whatever the first answer was (05:175-181). */
export const GENERIC_FAILURE = 'Addon request denied';

/** The digest an operation id is bound to; left when the arguments hold text that JSON cannot carry exactly. */
export function commandDigest(command: Json): Either<Refusal, string> {
  try {
    return right(`sha256:${sha256Hex(canonicalJson(command))}`);
  } catch {
    return left(refuse('invalid_request', 'The arguments hold text that is not valid Unicode. Nothing changed.'));
  }
}

/** Who and what an id is bound to. */
export interface Bound {
  readonly actor: Actor;
  readonly digest: string;
}

export const isBoundTo = (found: { userId: string; mode: string; digest: string }, bound: Bound): boolean =>
  found.userId === bound.actor.userId && found.mode === bound.actor.mode && found.digest === bound.digest;

export const operationConflict = (operationId: string): Refusal =>
  refuse(
    'operation_conflict',
    'This operation id was already used for something else. Nothing changed. Use a new id for a new operation.',
    { operationId },
  );

export const outcomeUnknown = (operationId: string, message: string): Refusal =>
  refuse('outcome_unknown', message, { operationId });

/** The refusal a failed operation answers with, at any time after its first answer. */
export function recordedFailure(operationId: string, failed: StartedOperation): Refusal {
  return refuse((failed.code ?? 'denied') as RefusalCode, GENERIC_FAILURE, { operationId });
}

/** The operation as clients see it (wire, "Routes"). */
export function statusOf(operationId: string, found: StartedOperation): OperationStatus {
  const { action, addonId, phase, generation } = found;
  const status = { operationId, addonId, action, state: phase, generation, runtimeState: 'not-observed' } as const;
  if (phase !== 'failed') return status;
  const { type } = errorOf(recordedFailure(operationId, found)).body.error;
  return { ...status, error: { type, message: GENERIC_FAILURE } };
}

export class OperationDesk {
  constructor(private readonly store: Store) {}

  /**
   * What an id was used for: nothing, an operation of the lifecycle, or something else. Pass `ahead` to decide and
   * `visible` to answer; a settled operation is folded from its stream.
   */
  find(operationId: string, state: OwnerState): Operation | 'foreign' {
    const live = state.get(operationKind, operationId);
    if (live.phase !== 'none') return live;
    const claim = this.store.journal.operation(operationId);
    if (claim === undefined) return live;
    const stream = streamName(operationKind, operationId);
    if (claim.stream !== stream) return 'foreign';
    const events = this.store.journal.readStream(stream) as readonly Recorded<OperationEvent>[];
    return events.reduce(operation.evolve, operation.initial);
  }

  /** Like `find` for a decision, after everything that used the id is on disk. */
  async lookup(operationId: string): Promise<Operation | 'foreign'> {
    if (this.store.journal.operation(operationId) !== undefined) await this.store.settled(operationId);
    return this.find(operationId, this.store.ahead);
  }

  /** Commits one step of an operation together with what it changes; right only when all of it is on disk. */
  async step(
    operationId: string,
    actor: Actor | undefined,
    command: OperationCommand,
    changes: readonly Change[] = [],
  ): Promise<Either<Refusal, void>> {
    const first = command.type === 'request' || command.type === 'record';
    // A settled operation left memory, so the registry of ids is what says that an id is free.
    if (first && this.store.journal.operation(operationId) !== undefined) return left(operationConflict(operationId));
    const decided = this.store.decide(operationKind, operationId, command);
    if (isLeft(decided)) return decided;
    // The operation's own stream comes first, so that it is the one that claims the id.
    return this.store.commit(
      { changes: [decided.right, ...changes] },
      { operationId, ...(actor === undefined ? {} : { actor }) },
    );
  }
}
