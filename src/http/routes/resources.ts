/** A person's own resources: list for any caller, create from the person's own browser only (chapter 11). */
import { isLeft } from '../../contract/fp.js';
import { refuse } from '../../contract/refusal.js';
import { creationBody } from '../../contract/requests.js';
import { refusalResponse } from '../answers.js';
import { requestBodyWithArguments } from '../body.js';
import { type Call, ownSession } from '../call.js';
import type { Route } from './table.js';

async function list(call: Call): Promise<Response> {
  const addonId = call.context.req.query('addonId');
  if (addonId === undefined)
    return refusalResponse(
      call.context,
      refuse('invalid_request', 'Name the add-on: /api/addons/resources?addonId=...'),
    );
  const resources = await call.deps.gateway.resources(call.caller, addonId);
  return isLeft(resources)
    ? refusalResponse(call.context, resources.left)
    : call.context.json({ resources: resources.right });
}

async function create(call: Call): Promise<Response> {
  const caller = ownSession(call);
  if (isLeft(caller)) return refusalResponse(call.context, caller.left);
  const body = await requestBodyWithArguments(call.context, creationBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  const result = await call.deps.gateway.createResource(caller.right, body.right);
  if (isLeft(result)) return refusalResponse(call.context, result.left);
  return call.context.json(result.right.entry, result.right.created ? 201 : 200);
}

export const resourceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/addons/resources',
    summary: "Lists the caller's resources of one add-on.",
    query: { addonId: 'The add-on.' },
    handle: list,
  },
  {
    method: 'POST',
    path: '/api/addons/resources',
    summary: 'Creates a resource.',
    body: creationBody,
    ownSession: true,
    handle: create,
  },
];
