/** Remembers a creation that goes to the add-on now, so that until its time is over "it does not exist" proves nothing. */
import { resourceKind } from '../../projections/kinds/resource.js';
import { type Desk, lookupWindowMs, millisOf } from './desk.js';

/**
 * To be called for a reserved resource, just before the hand-over. What is remembered of resources that are reserved no
 * more is forgotten here, so that there is never more of it than open reservations, whose number has a bound (09:285-288).
 */
export function handedOver(desk: Desk, resourceId: string): void {
  const { ahead } = desk.context.store;
  for (const known of desk.uncertainUntil.keys())
    if (ahead.get(resourceKind, known).state !== 'reserved') desk.uncertainUntil.delete(known);
  desk.uncertainUntil.set(resourceId, millisOf(desk) + lookupWindowMs(desk));
}
