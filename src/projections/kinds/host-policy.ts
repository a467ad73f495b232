/** The one stream `host-policy`. */
import { type ChangeProviders, type HostPolicy, hostPolicyDecider } from '../../aggregates/host-policy.js';
import type { HostPolicyEvent } from '../../events/catalogue/host-policy.js';
import type { StreamKind } from '../owner-state.js';

/** What follows the first hyphen of a stream is its id. */
export const POLICY_ID = 'policy';

export const hostPolicyKind: StreamKind<HostPolicy, ChangeProviders, HostPolicyEvent> = {
  name: 'host',
  decider: hostPolicyDecider,
};
