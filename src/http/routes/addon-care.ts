/** For administrators: the recent output of an add-on's process, and the limits it is held to. */
import { limitsBody, limitsOf } from '../../contract/addon-limits-codec.js';
import { isLeft } from '../../contract/fp.js';
import { refuse } from '../../contract/refusal.js';
import { answer, refusalResponse } from '../answers.js';
import { requestBody } from '../body.js';
import type { Call } from '../call.js';
import type { Route } from './table.js';

const idOf = (call: Call) => call.context.req.param('id') ?? '';

async function log(call: Call): Promise<Response> {
  call.context.header('Cache-Control', 'private, no-store');
  return answer(call.context, await call.deps.gateway.addonLog(call.caller, idOf(call)));
}

async function limits(call: Call): Promise<Response> {
  call.context.header('Cache-Control', 'private, no-store');
  return answer(call.context, await call.deps.gateway.addonLimits(call.caller, idOf(call)));
}

/** Everyone but an administrator is refused before the body is read. */
async function limit(call: Call): Promise<Response> {
  if (!call.caller.administrator)
    return refusalResponse(
      call.context,
      refuse('denied', 'Only an administrator can limit an add-on. Nothing changed.'),
    );
  const body = await requestBody(call.context, limitsBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  return answer(call.context, await call.deps.gateway.limitAddon(call.caller, idOf(call), limitsOf(body.right)));
}

export const addonCareRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/admin/addons/:id/log',
    summary: 'The last 200 lines the add-on wrote to its output, for administrators.',
    handle: log,
  },
  {
    method: 'GET',
    path: '/api/admin/addons/:id/limits',
    summary: 'What the add-on may use and what it uses, for administrators.',
    handle: limits,
  },
  {
    method: 'PUT',
    path: '/api/admin/addons/:id/limits',
    summary: 'Sets what the add-on may use; what is left out or null is unlimited.',
    body: limitsBody,
    handle: limit,
  },
];
