/** `POST /api/addons/dispatch`: reads, lifecycle and management actions, as one contract request (09, "Public API"). */
import { closed, isLeft, t } from '../../contract/fp.js';
import { answer, refusalResponse } from '../answers.js';
import { jsonObject, requestBodyWithArguments } from '../body.js';
import type { Call } from '../call.js';
import type { Route } from './table.js';

/** Library-wide actions leave `addonId` out, lifecycle actions may leave `generation` out (wire, "Routes"). */
export const contractRequest = closed(
  'request',
  { operationId: t.string, action: t.string, arguments: jsonObject },
  { addonId: t.string, resourceId: t.string, generation: t.number },
);

async function dispatch(call: Call): Promise<Response> {
  const body = await requestBodyWithArguments(call.context, contractRequest);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  const { value, rawArguments } = body.right;
  const request = { ...value, addonId: value.addonId ?? '', generation: value.generation ?? 0 };
  const respondAsync = /(?:^|,)\s*respond-async\s*(?:,|;|$)/i.test(call.context.req.header('prefer') ?? '');
  const result = await call.deps.gateway.dispatch(call.caller, { value: request, rawArguments }, { respondAsync });
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
    handle: dispatch,
  },
];
