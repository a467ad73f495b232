/** What one lifecycle action is: its arguments, what must hold before it is recorded, and its effects in order. */
import type { Either, t } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import type { OwnerContext } from '../context.js';
import type { Library } from '../library/index.js';
import type { Change } from '../store.js';
import type { ProgressBoard } from './progress.js';
import type { RuntimeSync } from './runtime-sync.js';

export interface LifecycleParts {
  readonly context: OwnerContext;
  readonly library: Library;
  readonly sync: RuntimeSync;
  readonly progress: ProgressBoard;
  /** Ends downloads when the owner shuts down; a caller that leaves ends nothing. */
  readonly stopping: AbortSignal;
}

export interface Order<A> {
  readonly operationId: string;
  readonly addonId: string;
  readonly arguments: A;
}

/** What `prepared` records: the generation the operation leaves installed, and changes of the same commit. */
export interface Prepared {
  readonly generation: number;
  readonly changes: readonly Change[];
  /** Takes back what already happened outside of the journal, when `prepared` was refused or nothing came of it. */
  readonly takeBack?: () => Promise<void>;
}

export interface UseCase<A> {
  readonly arguments: t.Type<A>;
  /** Refusals that leave no record. */
  admit(parts: LifecycleParts, order: Order<A>): Promise<Either<Refusal, void>>;
  /** Everything between the recorded intent and `prepared`; a left fails the operation. */
  prepare(parts: LifecycleParts, order: Order<A>): Promise<Either<Refusal, Prepared>>;
}
