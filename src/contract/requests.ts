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

/** A source of the source routes; everything but kind and address has a default (04:188). */
export const sourceBody = closed(
  'source',
  { kind: t.keyof({ addon: null, backend: null, model: null }), url: t.string },
  { id, name: t.string, format: t.keyof({ library: null, gallery: null }) },
);
export const settingsBody = closed('settings', {}, { official_libraries: t.boolean });

export type SourceRequest = t.TypeOf<typeof sourceBody>;
export type SettingsChange = t.TypeOf<typeof settingsBody>;

type Dispatched = t.TypeOf<typeof dispatchBody>;
type Proposed = t.TypeOf<typeof proposalBody>;

/**
 * The request a dispatch body stands for: an absent add-on is empty, an absent generation is 0. Refuses
 * `invalid_request` for a typed read without an add-on or with generation 0 (wire, "Errors", 400).
 */
export function dispatchRequest(body: Dispatched): Either<Refusal, ContractRequest> {
  const { addonId = '', generation: from = 0, resourceId = '', ...rest } = body;
  if (rest.action === 'read' && (from === 0 || addonId === ''))
    return left(refuse('invalid_request', 'A read names the add-on and the generation it was made for.'));
  return right({ ...rest, addonId, generation: from, ...(resourceId === '' ? {} : { resourceId }) });
}

/** The request a proposal body stands for: a creation names no resource, every other change names one (10:63, 10:115). */
export function proposalRequest(body: Proposed): Either<Refusal, ProposalRequest> {
  const { resourceId = '', ...rest } = body;
  if (rest.action === 'create' && resourceId !== '')
    return left(refuse('invalid_request', 'A creation names no resource: the owner reserves one.'));
  if (rest.action !== 'create' && resourceId === '')
    return left(refuse('invalid_request', 'The field "resourceId" is missing: a change names its resource.'));
  return right(resourceId === '' ? rest : { ...rest, resourceId });
}

type Raw<T> = Either<Refusal, { value: T; rawArguments: string }>;

function readRequest<T, A>(
  input: Uint8Array | string,
  codec: t.Type<T>,
  made: (body: T) => Either<Refusal, A>,
): Raw<A> {
  const body = bodyOf(input, codec);
  if (body._tag === 'Left') return body;
  const value = made(body.right.value);
  return value._tag === 'Left' ? value : right({ value: value.right, rawArguments: body.right.rawArguments });
}

/** The whole body of `POST /api/addons/dispatch`. Refuses `too_large` and `invalid_request`. */
export const readDispatch = (input: Uint8Array | string): Raw<ContractRequest> =>
  readRequest(input, dispatchBody, dispatchRequest);

/** The whole body of `POST /api/addons/proposals`. Refuses `too_large` and `invalid_request`. */
export const readProposal = (input: Uint8Array | string): Raw<ProposalRequest> =>
  readRequest(input, proposalBody, proposalRequest);
