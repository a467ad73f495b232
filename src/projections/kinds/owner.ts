/** The one stream `owner`. */
import { type Owner, ownerDecider, type StartEpoch } from '../../aggregates/owner.js';
import type { OwnerEvent } from '../../events/catalogue/owner.js';
import type { StreamKind } from '../owner-state.js';

export const ownerKind: StreamKind<Owner, StartEpoch, OwnerEvent> = { name: 'owner', decider: ownerDecider };
