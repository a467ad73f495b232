/**
 * A resource: an opaque id bound to one add-on and one owner (09:210-310). It is reserved before the add-on creates
 * anything, invisible until the add-on confirmed that it exists, and dropped when it never came to be.
 */
import type { OwnershipMode } from '../contract/actor.js';
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { resourceEvents } from '../events/catalogue/resource.js';
import type { EventOf, Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

// ---- events ------------------------------------------------------------------------------------------------

export type ResourceEvent = EventOf<typeof resourceEvents>;
export type Reservation = Extract<ResourceEvent, { type: 'ResourceReserved' }>['payload'];

// ---- states ------------------------------------------------------------------------------------------------

interface Held {
  readonly addonId: string;
  readonly owner: { readonly userId: string; readonly mode: OwnershipMode };
  readonly ownerName?: string;
  readonly origin: Reservation['origin'];
  readonly generation: number;
  readonly argumentsRef?: string;
  readonly reservedAt: string;
}

export type Resource =
  | { readonly state: 'none' }
  | ({ readonly state: 'reserved' } & Held)
  /** `epoch` grows with each lowering of somebody's access. */
  | ({ readonly state: 'active'; readonly epoch: number; readonly activatedAt: string } & Held)
  | { readonly state: 'gone' };

export type HeldResource = Extract<Resource, Held>;

// ---- evolve ------------------------------------------------------------------------------------------------

export function evolve(state: Resource, event: Recorded<ResourceEvent>): Resource {
  switch (event.type) {
    case 'ResourceReserved':
      return { state: 'reserved', ...event.payload, reservedAt: event.at };
    case 'ResourceActivated':
      return state.state === 'reserved' ? { ...state, state: 'active', epoch: 1, activatedAt: event.at } : state;
    case 'ReservationDropped':
      return state.state === 'reserved' ? { state: 'gone' } : state;
    default: {
      const forgotten: never = event;
      return forgotten;
    }
  }
}

// ---- commands ----------------------------------------------------------------------------------------------

export type ResourceCommand =
  | { readonly type: 'reserve'; readonly reservation: Reservation }
  | { readonly type: 'activate'; readonly by: 'receipt' | 'exists' }
  | { readonly type: 'drop'; readonly why: string };

// ---- decide ------------------------------------------------------------------------------------------------

/** One denial for a resource that is missing, foreign, reserved or malformed (09:238-239, 11:229). */
export const UNREACHABLE: Refusal = refuse(
  'resource_unreachable',
  'There is no such resource, or you have no access to it. Nothing changed.',
);

export function decide(state: Resource, command: ResourceCommand): Either<Refusal, readonly ResourceEvent[]> {
  switch (command.type) {
    case 'reserve':
      if (state.state !== 'none' && state.state !== 'gone') return left(UNREACHABLE);
      return right([{ type: 'ResourceReserved', payload: command.reservation }]);
    case 'activate':
      if (state.state === 'active') return right([]);
      if (state.state !== 'reserved') return left(UNREACHABLE);
      return right([{ type: 'ResourceActivated', payload: { by: command.by } }]);
    case 'drop':
      return right(state.state === 'reserved' ? [{ type: 'ReservationDropped', payload: { why: command.why } }] : []);
    default: {
      const forgotten: never = command;
      return forgotten;
    }
  }
}

export const resourceDecider: Decider<Resource, ResourceCommand, ResourceEvent> = {
  initial: { state: 'none' },
  decide,
  evolve,
};
