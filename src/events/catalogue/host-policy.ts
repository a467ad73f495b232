/** Events of the stream `host-policy`: what administrators decide for all add-ons at once (01:100-139). */
import { policyPayload } from '../../contract/tool-providers-codec.js';
import { defineEvents, type EventOf } from '../event.js';

export const hostPolicyEvents = defineEvents({
  /** A patch and the revision it made; the operation id of the event is its receipt. */
  HostPolicyChanged: { version: 1, payload: policyPayload },
});

export type HostPolicyEvent = EventOf<typeof hostPolicyEvents>;
