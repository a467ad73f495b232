/** Every API route there is. */
import { appRoutes } from './apps.js';
import { dispatchRoutes } from './dispatch.js';
import { eventRoutes } from './events.js';
import { proposalRoutes } from './proposals.js';
import { relayRoutes } from './relay.js';
import { resourceRoutes } from './resources.js';
import { sessionRoutes } from './session.js';
import type { Route } from './table.js';

export const ROUTES: readonly Route[] = [
  ...appRoutes,
  ...dispatchRoutes,
  ...relayRoutes,
  ...proposalRoutes,
  ...resourceRoutes,
  ...eventRoutes,
  ...sessionRoutes,
];
