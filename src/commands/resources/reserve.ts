/** Reserving a resource before an add-on creates anything, within the bounds of 09:285-288. */
import type { Reservation } from '../../aggregates/resource.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import type { OwnerState } from '../../projections/owner-state.js';
import type { Change, Store } from '../store.js';

export const PENDING_PER_USER = 8;
export const RESOURCES_PER_USER = 256;
export const RESOURCES_TOTAL = 4_096;

const quota = (code: string, message: string): Either<Refusal, never> =>
  left(refuse('quota_reached', `${message} Nothing was created.`, { code }));

/** Refuses `quota_reached` when one more reservation of this person would go over a bound. */
export function resourceRoom(state: OwnerState, owner: Reservation['owner']): Either<Refusal, void> {
  let [pending, mine, total] = [0, 0, 0];
  for (const resource of state.all(resourceKind).values()) {
    if (resource.state !== 'reserved' && resource.state !== 'active') continue;
    total += 1;
    if (resource.owner.userId !== owner.userId || resource.owner.mode !== owner.mode) continue;
    mine += 1;
    if (resource.state === 'reserved') pending += 1;
  }
  if (pending >= PENDING_PER_USER)
    return quota(
      'resources_pending_per_user',
      `${PENDING_PER_USER} creations of yours are unfinished. Decide or cancel one.`,
    );
  if (mine >= RESOURCES_PER_USER)
    return quota('resources_per_user', `You have ${RESOURCES_PER_USER} resources. Delete one first.`);
  if (total >= RESOURCES_TOTAL) return quota('resources_total', `The server holds ${RESOURCES_TOTAL} resources.`);
  return right(undefined);
}

/** The event that reserves `id`, when the bounds allow it. */
export function reserve(store: Store, id: string, reservation: Reservation): Either<Refusal, Change> {
  const room = resourceRoom(store.ahead, reservation.owner);
  return isLeft(room) ? room : store.decide(resourceKind, id, { type: 'reserve', reservation });
}
