/** For administrators: who replaces the built-in tools, and what the provider of commands says of itself. */
import { isLeft } from '../../contract/fp.js';
import { refuse } from '../../contract/refusal.js';
import { providersBody } from '../../contract/tool-providers-codec.js';
import { answer, refusalResponse } from '../answers.js';
import { requestBody } from '../body.js';
import { type Call, refusedReader } from '../call.js';
import type { Route } from './table.js';

async function view(call: Call): Promise<Response> {
  call.context.header('Cache-Control', 'private, no-store');
  return answer(call.context, await call.deps.gateway.toolProviders(call.caller));
}

/** Everyone but an administrator is refused before the body is read. */
async function change(call: Call): Promise<Response> {
  const denied = refusedReader(call);
  if (denied !== undefined) return refusalResponse(call.context, denied);
  const body = await requestBody(call.context, providersBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  return answer(call.context, await call.deps.gateway.chooseProviders(call.caller, body.right));
}

/** The question has no words: who is asked, and for whom, is the owner's own knowledge (17:131-133). */
async function execution(call: Call): Promise<Response> {
  call.context.header('Cache-Control', 'private, no-store');
  if (new URL(call.context.req.url).search !== '')
    return refusalResponse(
      call.context,
      refuse('invalid_request', 'This address takes no parameters: the server itself knows who runs commands.'),
    );
  return answer(call.context, await call.deps.gateway.executionStatus(call.caller));
}

export const providerRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/admin/tool-providers',
    summary:
      'Which add-ons can replace the built-in tools and document skills, and which one does, for administrators.',
    handle: view,
  },
  {
    method: 'PUT',
    path: '/api/admin/tool-providers',
    summary: 'Chooses who replaces a tool; null takes a choice away, what is left out stays.',
    body: providersBody,
    handle: change,
  },
  {
    method: 'GET',
    path: '/api/admin/execution-status',
    summary: 'What the add-on that runs commands says of its readiness and isolation now, for administrators.',
    handle: execution,
  },
];
