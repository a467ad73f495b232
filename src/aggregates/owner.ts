/** The owner of a root: which identity it has, in which ownership mode it runs, and how often it was started. */
import type { OwnershipMode } from '../contract/actor.js';
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { OwnerEvent } from '../events/catalogue/owner.js';
import type { Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

export interface Owner {
  /** 0 before the first start. */
  readonly epoch: number;
  readonly ownerId?: string;
  readonly storageId?: string;
  readonly mode?: OwnershipMode;
  readonly build?: string;
}

export interface StartEpoch {
  readonly kind: 'start-epoch';
  readonly ownerId: string;
  readonly storageId: string;
  readonly mode: OwnershipMode;
  readonly build: string;
}

/** Refuses another owner's journal and a change of ownership mode; a mode changes only by migration (03). */
function decide(state: Owner, command: StartEpoch): Either<Refusal, readonly OwnerEvent[]> {
  if (state.ownerId !== undefined && state.ownerId !== command.ownerId)
    return left(
      refuse('identity_changed', 'The journal belongs to another owner than the identity file names. Nothing started.'),
    );
  if (state.mode !== undefined && state.mode !== command.mode)
    return left(
      refuse(
        'identity_changed',
        `The storage was set up in ${state.mode} mode and is being started in ${command.mode} mode. Nothing started.`,
      ),
    );
  const { ownerId, storageId, mode, build } = command;
  return right([{ type: 'OwnerEpochStarted', payload: { ownerId, storageId, mode, build, epoch: state.epoch + 1 } }]);
}

function evolve(_state: Owner, event: Recorded<OwnerEvent>): Owner {
  return { ...event.payload };
}

export const ownerDecider: Decider<Owner, StartEpoch, OwnerEvent> = { initial: { epoch: 0 }, decide, evolve };
