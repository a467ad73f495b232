/** The streams `resource-<id>`. A dropped reservation leaves memory, which frees its place in the quotas. */
import { type Resource, type ResourceCommand, type ResourceEvent, resourceDecider } from '../../aggregates/resource.js';
import type { StreamKind } from '../owner-state.js';

export const resourceKind: StreamKind<Resource, ResourceCommand, ResourceEvent> = {
  name: 'resource',
  decider: resourceDecider,
  gone: (resource) => resource.state === 'gone',
};
