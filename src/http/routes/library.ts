/** The sources of all kinds, and the setting that switches the defaults; for administrators (04:163-198). */
import { isLeft } from '../../contract/fp.js';
import { emptyBody, settingsBody, sourceBody } from '../../contract/requests.js';
import { answer, refusalResponse } from '../answers.js';
import { nothingInBody, requestBody } from '../body.js';
import { type Call, refusedReader } from '../call.js';
import type { Route } from './table.js';

const idOf = (call: Call) => call.context.req.param('id') ?? '';

async function add(call: Call): Promise<Response> {
  const refused = refusedReader(call);
  if (refused !== undefined) return refusalResponse(call.context, refused);
  const body = await requestBody(call.context, sourceBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  return answer(call.context, await call.deps.gateway.addSource(call.caller, body.right), 201);
}

const turn = (to: 'enable' | 'disable') => async (call: Call) => {
  const body = await nothingInBody(call.context);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  return answer(call.context, await call.deps.gateway.switchSource(call.caller, idOf(call), to));
};

async function remove(call: Call): Promise<Response> {
  const body = await nothingInBody(call.context);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  const done = await call.deps.gateway.removeSource(call.caller, idOf(call));
  return isLeft(done) ? refusalResponse(call.context, done.left) : call.context.body(null, 204);
}

async function change(call: Call): Promise<Response> {
  const refused = refusedReader(call);
  if (refused !== undefined) return refusalResponse(call.context, refused);
  const body = await requestBody(call.context, settingsBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  return answer(call.context, await call.deps.gateway.changeSettings(call.caller, body.right));
}

export const libraryRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/library/sources',
    summary: 'Every source of add-ons, backends and models, removed defaults included.',
    handle: async (call) => answer(call.context, await call.deps.gateway.sources(call.caller)),
  },
  { method: 'POST', path: '/api/library/sources', summary: 'Adds a source.', body: sourceBody, handle: add },
  {
    method: 'POST',
    path: '/api/library/sources/:id/enable',
    summary: 'Turns a source on; brings a removed default back.',
    body: emptyBody,
    handle: turn('enable'),
  },
  {
    method: 'POST',
    path: '/api/library/sources/:id/disable',
    summary: 'Turns a source off without removing it.',
    body: emptyBody,
    handle: turn('disable'),
  },
  {
    method: 'DELETE',
    path: '/api/library/sources/:id',
    summary: 'Removes a source; a default leaves a tombstone. Installed add-ons stay.',
    body: emptyBody,
    handle: remove,
  },
  {
    method: 'GET',
    path: '/api/settings',
    summary: 'The settings of the server that can be changed while it runs.',
    handle: async (call) => answer(call.context, await call.deps.gateway.settings(call.caller)),
  },
  {
    method: 'POST',
    path: '/api/settings',
    summary: 'Changes settings; what is left out stays.',
    body: settingsBody,
    handle: change,
  },
];
