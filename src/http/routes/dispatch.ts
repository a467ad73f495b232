/** `POST /api/addons/dispatch`: reads, lifecycle and management actions, as one contract request (09, "Public API"). */
import { isLeft } from '../../contract/fp.js';
import { dispatchBody, dispatchRequest } from '../../contract/requests.js';
import { answer, refusalResponse } from '../answers.js';
import { requestBodyWithArguments } from '../body.js';
import type { Call } from '../call.js';
import type { Route } from './table.js';

async function dispatch(call: Call): Promise<Response> {
  const body = await requestBodyWithArguments(call.context, dispatchBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  const { rawArguments } = body.right;
  const request = dispatchRequest(body.right.value);
  if (isLeft(request)) return refusalResponse(call.context, request.left);
  const respondAsync = /(?:^|,)\s*respond-async\s*(?:,|;|$)/i.test(call.context.req.header('prefer') ?? '');
  const result = await call.deps.gateway.dispatch(
    call.caller,
    { value: request.right, rawArguments },
    { respondAsync },
  );
  const pending = !isLeft(result) && respondAsync && isUnfinished(result.right.payload);
  return answer(call.context, result, pending ? 202 : 200);
}

function isUnfinished(payload: unknown): boolean {
  const state = typeof payload === 'object' && payload !== null && 'state' in payload ? payload.state : undefined;
  return state === 'intent' || state === 'prepared' || state === 'applied';
}

export const dispatchRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/addons/dispatch',
    summary: 'One typed read, lifecycle or management action.',
    body: dispatchBody,
    handle: dispatch,
  },
];
