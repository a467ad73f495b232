/** Every API route there is. */
import { describeApi } from '../openapi/document.js';
import { addonCareRoutes } from './addon-care.js';
import { appRoutes } from './apps.js';
import { backendRoutes } from './backends.js';
import { dispatchRoutes } from './dispatch.js';
import { eventRoutes } from './events.js';
import { libraryRoutes } from './library.js';
import { proposalRoutes } from './proposals.js';
import { providerRoutes } from './providers.js';
import { relayRoutes } from './relay.js';
import { resourceRoutes } from './resources.js';
import { sessionRoutes } from './session.js';
import type { Route } from './table.js';

const described: readonly Route[] = [
  ...appRoutes,
  ...dispatchRoutes,
  ...libraryRoutes,
  ...backendRoutes,
  ...relayRoutes,
  ...proposalRoutes,
  ...resourceRoutes,
  ...eventRoutes,
  ...sessionRoutes,
  ...addonCareRoutes,
  ...providerRoutes,
];

const openApi: Route = {
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'This description.',
  handle: async (call) => call.context.json(describeApi(ROUTES, call.deps.version)),
};

export const ROUTES: readonly Route[] = [...described, openApi];
