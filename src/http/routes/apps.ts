/** Apps: the installed add-ons a caller sees, their icons, and start and stop for administrators (chapter 12). */
import { isLeft } from '../../contract/fp.js';
import { refuse } from '../../contract/refusal.js';
import { appActionBody } from '../../contract/requests.js';
import { answer, refusalResponse } from '../answers.js';
import { requestBody } from '../body.js';
import type { Call } from '../call.js';
import type { Route } from './table.js';

const idOf = (call: Call) => call.context.req.param('id') ?? '';

async function list(call: Call): Promise<Response> {
  const apps = await call.deps.gateway.apps(call.caller);
  return isLeft(apps) ? refusalResponse(call.context, apps.left) : call.context.json({ apps: apps.right });
}

async function icon(call: Call): Promise<Response> {
  const generation = Number(call.context.req.query('generation'));
  const result = await call.deps.gateway.icon(call.caller, idOf(call), generation);
  if (isLeft(result)) return refusalResponse(call.context, result.left);
  return call.context.body(new Uint8Array(result.right.bytes), 200, {
    'Content-Type': result.right.mediaType,
    'Cache-Control': 'private, no-store',
  });
}

/** Everyone but an administrator is refused before the body is read. */
const turn = (action: 'startApp' | 'stopApp') => async (call: Call) => {
  if (!call.caller.administrator)
    return refusalResponse(
      call.context,
      refuse('denied', 'Only an administrator can turn add-ons on and off. Nothing changed.'),
    );
  const body = await requestBody(call.context, appActionBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  return answer(call.context, await call.deps.gateway[action](call.caller, idOf(call), body.right));
};

export const appRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/addons/apps',
    summary: 'Lists the add-ons the caller sees, with their observed state.',
    handle: list,
  },
  {
    method: 'GET',
    path: '/api/addons/apps/:id/icon',
    summary: 'The icon of an installed add-on, from its verified package.',
    query: { generation: 'The generation the icon belongs to.' },
    handle: icon,
  },
  {
    method: 'POST',
    path: '/api/addons/apps/:id/start',
    summary: 'Turns an add-on on.',
    body: appActionBody,
    handle: turn('startApp'),
  },
  {
    method: 'POST',
    path: '/api/addons/apps/:id/stop',
    summary: 'Turns an add-on off; its data stays.',
    body: appActionBody,
    handle: turn('stopApp'),
  },
  {
    method: 'GET',
    path: '/api/addons/builtin',
    summary: 'Page add-ons that ship inside the web bundle; none today.',
    handle: async (call) => {
      call.context.header('Cache-Control', 'private, no-store');
      return call.context.json({ builtin: [] });
    },
  },
];
