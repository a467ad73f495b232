/** Backends of libraries; for administrators (04:310-366). */
import { backendBody } from '../../contract/backends.js';
import { isLeft } from '../../contract/fp.js';
import { refuse } from '../../contract/refusal.js';
import { answer, refusalResponse } from '../answers.js';
import { requestBody } from '../body.js';
import { type Call, refusedReader } from '../call.js';
import type { Route } from './table.js';

/** Of a library, a backend or a version: what a catalog may hold, so that nothing else begins a job. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/;

async function install(call: Call): Promise<Response> {
  const { context, deps, caller } = call;
  const refused = refusedReader(call);
  if (refused !== undefined) return refusalResponse(context, refused);
  const body = await requestBody(context, backendBody);
  if (isLeft(body)) return refusalResponse(context, body.left);
  if (!Object.values(body.right).every((text) => NAME.test(text)))
    return refusalResponse(context, refuse('invalid_request', 'Name the library, the backend and its version.'));
  const begun = await deps.gateway.installBackend(caller, body.right);
  if (isLeft(begun)) return refusalResponse(context, begun.left);
  const { id } = begun.right;
  return context.json({ id, status_url: new URL(`/backends/jobs/${id}`, context.req.url).href });
}

async function updates(call: Call): Promise<Response> {
  const found = await call.deps.gateway.backendUpdates(call.caller);
  return isLeft(found) ? refusalResponse(call.context, found.left) : call.context.json({ updates: found.right });
}

export const backendRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/backends/library/install',
    summary: 'Begins to install a backend of a library; answers with the job.',
    body: backendBody,
    handle: install,
  },
  {
    method: 'GET',
    path: '/backends/jobs/:id',
    summary: 'How a job stands: its step, its progress, and how it ended.',
    handle: async (call) =>
      answer(call.context, await call.deps.gateway.backendJob(call.caller, call.context.req.param('id') ?? '')),
  },
  {
    method: 'GET',
    path: '/backends/library/updates',
    summary: 'Installed backends of which their library lists another build, as far as it was read.',
    handle: updates,
  },
];
