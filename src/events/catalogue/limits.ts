/** Events of `limits-<addonId>`: what an operator allows one add-on to use, across upgrades and reinstalls. */
import { limitsPayload } from '../../contract/addon-limits-codec.js';
import { defineEvents, type EventOf } from '../event.js';

export const limitsEvents = defineEvents({
  /** The whole set; what is absent is unlimited. */
  AddonLimitsSet: { version: 1, payload: limitsPayload },
});

export type LimitsEvent = EventOf<typeof limitsEvents>;
