/** The bodies that clients send to the owner's API, as closed codecs (wire, "Routes"; chapters 10 to 12). */
import type { ProposalRequest } from './api.js';
import { closed, type Either, left, right, t } from './fp.js';
import { digest, generation, generationOrNone, id, idOrEmpty } from './identifiers.js';
import type { JsonObject } from './json.js';
import { type Refusal, refuse } from './refusal.js';
import { bodyOf } from './request-body.js';
import type { ContractRequest } from './wire.js';

/** An object whose content is opaque here: the declared-tool rule and the tool's schema judge it. */
export const opaqueObject = t.UnknownRecord as unknown as t.Type<JsonObject>;

/** Library-wide actions leave `addonId` out or empty; lifecycle actions may leave `generation` out (wire, "Routes"). */
export const dispatchBody = closed(
  'request',
  { operationId: id, action: id, arguments: opaqueObject },
  { addonId: idOrEmpty, resourceId: idOrEmpty, generation: generationOrNone },
);

export const proposalBody = closed(
  'proposal',
  {
    addonId: id,
    operationId: id,
    generation,
    action: t.keyof({ write: null, schema: null, create: null }),
    arguments: opaqueObject,
  },
  { resourceId: idOrEmpty },
);

export const creationBody = closed('creation', { addonId: id, operationId: id, generation, arguments: opaqueObject });
export const appActionBody = closed('app action', { operationId: id, generation });
export const confirmBody = closed('confirmation', { digest });
export const resolveBody = closed('resolution', { digest, reason: t.string });
export const emptyBody = closed('empty object', {});

type Raw<T> = Either<Refusal, { value: T; rawArguments: string }>;

/**
 * The body of `POST /api/addons/dispatch`. Refuses `too_large` and `invalid_request`, the latter also for a typed read
 * with generation 0 or without an add-on.
 */
export function readDispatch(input: Uint8Array | string): Raw<ContractRequest> {
  const body = bodyOf(input, dispatchBody);
  if (body._tag === 'Left') return body;
  const { addonId = '', generation: from = 0, resourceId, ...rest } = body.right.value;
  if (rest.action === 'read' && (from === 0 || addonId === ''))
    return left(refuse('invalid_request', 'A read names the add-on and the generation it was made for.'));
  const resource = resourceId === undefined || resourceId === '' ? {} : { resourceId };
  return right({
    value: { ...rest, addonId, generation: from, ...resource },
    rawArguments: body.right.rawArguments,
  });
}

/** The body of `POST /api/addons/proposals`: a creation names no resource, every other change names one (10:63, 10:115). */
export function readProposal(input: Uint8Array | string): Raw<ProposalRequest> {
  const body = bodyOf(input, proposalBody);
  if (body._tag === 'Left') return body;
  const { resourceId = '', ...rest } = body.right.value;
  if (rest.action === 'create' && resourceId !== '')
    return left(refuse('invalid_request', 'A creation names no resource: the owner reserves one.'));
  if (rest.action !== 'create' && resourceId === '')
    return left(refuse('invalid_request', 'The field "resourceId" is missing: a change names its resource.'));
  return right({
    value: resourceId === '' ? rest : { ...rest, resourceId },
    rawArguments: body.right.rawArguments,
  });
}
