/**
 * One lifecycle or library operation. Its id is bound to one actor and one command for ever, its phases only move
 * forward, and nothing is completed that was not applied (06:260-278; 05:300-306).
 */
import type { Actor } from '../contract/actor.js';
import type { OperationPhase } from '../contract/api.js';
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { ACTIONS, OperationEvent } from '../events/catalogue/operation.js';
import type { Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

export type { OperationEvent } from '../events/catalogue/operation.js';

export type OperationAction = (typeof ACTIONS)[number];

// ---- states --------------------------------------------------------------------------------------------------

export interface Binding {
  readonly action: OperationAction;
  /** Empty for an action on the library as a whole. */
  readonly addonId: string;
  /** SHA-256 over the complete command. */
  readonly digest: string;
  /** Who asked; only the person counts, since a renewed session is another credential of the same person. */
  readonly userId: string;
  readonly mode: Actor['mode'] | 'unknown';
}

export type Operation =
  | { readonly phase: 'none' }
  | (Binding & {
      readonly phase: OperationPhase;
      /** The generation it started from, from `prepared` on the one it leaves installed. */
      readonly generation: number;
      readonly requestedAt: string;
      /** Of a failed one. */
      readonly code?: string;
      /** Of a completed one: JSON text of what it answered, where the state itself does not say it. */
      readonly result?: string;
    });

export type StartedOperation = Exclude<Operation, { phase: 'none' }>;

// ---- evolve --------------------------------------------------------------------------------------------------

function evolve(state: Operation, event: Recorded<OperationEvent>): Operation {
  if (event.type === 'OperationRequested') {
    const { action, addonId, digest, generation } = event.payload;
    const { userId, mode } = event.actor ?? { userId: '', mode: 'unknown' as const };
    return { phase: 'intent', action, addonId, digest, generation, userId, mode, requestedAt: event.at };
  }
  if (state.phase === 'none') return state;
  switch (event.type) {
    case 'OperationPrepared':
      return { ...state, phase: 'prepared', generation: event.payload.generation };
    case 'OperationApplied':
      return { ...state, phase: 'applied' };
    case 'OperationCompleted':
      return { ...state, phase: 'completed', ...event.payload };
    case 'OperationFailed':
      return { ...state, phase: 'failed', code: event.payload.code };
    default: {
      const never: never = event;
      return never;
    }
  }
}

// ---- commands ------------------------------------------------------------------------------------------------

export type OperationCommand =
  | (Omit<Binding, 'userId' | 'mode'> & { readonly type: 'request'; readonly generation: number })
  | { readonly type: 'prepare'; readonly generation: number }
  | { readonly type: 'apply' }
  | { readonly type: 'complete'; readonly result?: string }
  | { readonly type: 'fail'; readonly code: string }
  /** All phases at once, for an operation whose whole effect is in the same commit. */
  | (Omit<Binding, 'userId' | 'mode'> & { readonly type: 'record'; readonly result: string });

// ---- decide --------------------------------------------------------------------------------------------------

const conflict = (message: string): Either<Refusal, never> => left(refuse('operation_conflict', message));

function requested(command: Omit<Binding, 'userId' | 'mode'>, generation: number): OperationEvent {
  const { action, addonId, digest } = command;
  return { type: 'OperationRequested', payload: { action, addonId, digest, generation } };
}

function decide(state: Operation, command: OperationCommand): Either<Refusal, readonly OperationEvent[]> {
  const used = 'This operation id was already used. Nothing changed. Use a new one.';
  const order = 'The operation is not in the phase for this step. Nothing changed.';
  switch (command.type) {
    case 'request':
      return state.phase === 'none' ? right([requested(command, command.generation)]) : conflict(used);
    case 'record':
      if (state.phase !== 'none') return conflict(used);
      return right([
        requested(command, 0),
        { type: 'OperationPrepared', payload: { generation: 0 } },
        { type: 'OperationApplied', payload: {} },
        { type: 'OperationCompleted', payload: { result: command.result } },
      ]);
    case 'prepare':
      if (state.phase !== 'intent') return conflict(order);
      return right([{ type: 'OperationPrepared', payload: { generation: command.generation } }]);
    case 'apply':
      return state.phase === 'prepared' ? right([{ type: 'OperationApplied', payload: {} }]) : conflict(order);
    case 'complete': {
      if (state.phase !== 'applied') return conflict(order);
      const payload = command.result === undefined ? {} : { result: command.result };
      return right([{ type: 'OperationCompleted', payload }]);
    }
    case 'fail':
      return state.phase === 'intent' || state.phase === 'prepared'
        ? right([{ type: 'OperationFailed', payload: { code: command.code } }])
        : conflict(order);
    default: {
      const never: never = command;
      return never;
    }
  }
}

export const operation: Decider<Operation, OperationCommand, OperationEvent> = {
  initial: { phase: 'none' },
  decide,
  evolve,
};

/** True once nothing can change any more. */
export const settled = (state: Operation): boolean => state.phase === 'completed' || state.phase === 'failed';
