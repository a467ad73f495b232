/** Proposals: a change is stored, shown, and applied only by the person's own confirmation (chapter 10; wire, "Routes"). */
import { closed, isLeft, t } from '../../contract/fp.js';
import { refuse } from '../../contract/refusal.js';
import { proposalBody, proposalRequest } from '../../contract/requests.js';
import { answer, refusalResponse } from '../answers.js';
import { requestBody, requestBodyWithArguments } from '../body.js';
import { type Call, ownSession } from '../call.js';
import type { Route } from './table.js';

const STATES = ['pending', 'unresolved', 'settled', 'all'] as const;
const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;

const digestBody = closed('confirmation', { digest: t.string });
const resolveBody = closed('resolution', { digest: t.string, reason: t.string });
const emptyBody = closed('empty object', {});

const idOf = (call: Call) => call.context.req.param('id') ?? '';

async function propose(call: Call): Promise<Response> {
  const body = await requestBodyWithArguments(call.context, proposalBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  const request = proposalRequest(body.right.value);
  if (isLeft(request)) return refusalResponse(call.context, request.left);
  const { rawArguments } = body.right;
  const result = await call.deps.gateway.propose(call.caller, { value: request.right, rawArguments });
  if (isLeft(result)) return refusalResponse(call.context, result.left);
  return call.context.json(result.right.proposal, result.right.created ? 201 : 200);
}

async function list(call: Call): Promise<Response> {
  const { state = 'all', limit, cursor } = call.context.req.query();
  const known = STATES.find((name) => name === state);
  const count = limit === undefined ? DEFAULT_PAGE : Number(limit);
  if (known === undefined || !Number.isInteger(count) || count < 1 || count > MAX_PAGE)
    return refusalResponse(
      call.context,
      refuse('invalid_request', `state is one of ${STATES.join(', ')}, and limit a number from 1 to ${MAX_PAGE}.`),
    );
  return answer(
    call.context,
    await call.deps.gateway.proposals(call.caller, {
      state: known,
      limit: count,
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
}

/** Surface first, body second: a caller that may not confirm learns nothing from how its body is judged. */
async function confirm(call: Call): Promise<Response> {
  const caller = ownSession(call);
  if (isLeft(caller)) return refusalResponse(call.context, caller.left);
  const body = await requestBody(call.context, digestBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  return answer(call.context, await call.deps.gateway.confirm(caller.right, idOf(call), body.right));
}

async function resolve(call: Call): Promise<Response> {
  const caller = ownSession(call);
  if (isLeft(caller)) return refusalResponse(call.context, caller.left);
  const body = await requestBody(call.context, resolveBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  return answer(call.context, await call.deps.gateway.resolve(caller.right, idOf(call), body.right));
}

async function unresolved(call: Call): Promise<Response> {
  const { state } = call.context.req.query();
  if (state !== 'unresolved')
    return refusalResponse(call.context, refuse('invalid_request', 'state must be unresolved.'));
  const caller = ownSession(call);
  if (isLeft(caller)) return refusalResponse(call.context, caller.left);
  const result = await call.deps.gateway.unresolved(caller.right, call.context.req.param('resourceId') ?? '');
  return isLeft(result) ? refusalResponse(call.context, result.left) : call.context.json({ proposals: result.right });
}

const withEmptyBody = (act: (call: Call) => Promise<Response>) => async (call: Call) => {
  const body = await requestBody(call.context, emptyBody);
  return isLeft(body) ? refusalResponse(call.context, body.left) : act(call);
};

export const proposalRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/addons/proposals',
    summary: 'Stores a change as a proposal; nothing is applied.',
    body: proposalBody,
    handle: propose,
  },
  {
    method: 'GET',
    path: '/api/addons/proposals',
    summary: "Lists the caller's own proposals, newest first.",
    query: {
      state: `One of ${STATES.join(', ')}.`,
      limit: `From 1 to ${MAX_PAGE}.`,
      cursor: 'The `next` of the page before.',
    },
    handle: list,
  },
  {
    method: 'GET',
    path: '/api/addons/proposals/:id',
    summary: "Reads one of the caller's own proposals.",
    handle: async (call) => answer(call.context, await call.deps.gateway.proposal(call.caller, idOf(call))),
  },
  {
    method: 'POST',
    path: '/api/addons/proposals/:id/confirm',
    summary: 'Applies a stored proposal once.',
    body: digestBody,
    ownSession: true,
    handle: confirm,
  },
  {
    method: 'POST',
    path: '/api/addons/proposals/:id/cancel',
    summary: 'Withdraws a pending proposal.',
    body: emptyBody,
    handle: withEmptyBody(async (call) =>
      answer(call.context, await call.deps.gateway.cancel(call.caller, idOf(call))),
    ),
  },
  {
    method: 'POST',
    path: '/api/addons/proposals/:id/reconcile',
    summary: 'Looks the receipt of an unresolved proposal up; never submits it again.',
    body: emptyBody,
    handle: withEmptyBody(async (call) =>
      answer(call.context, await call.deps.gateway.reconcile(call.caller, idOf(call))),
    ),
  },
  {
    method: 'POST',
    path: '/api/addons/proposals/:id/resolve',
    summary: 'Stops waiting for an unresolved proposal; only the owner of the resource.',
    body: resolveBody,
    ownSession: true,
    handle: resolve,
  },
  {
    method: 'GET',
    path: '/api/addons/resources/:resourceId/proposals',
    summary: 'Lists the unresolved proposals on a resource for its owner.',
    query: { state: 'Always unresolved.' },
    ownSession: true,
    handle: unresolved,
  },
];
