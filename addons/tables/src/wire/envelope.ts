/** Decodes and admits what the owner sends: structure first, then addressee, scope, generation and expiry (05:238-256). */
import { type Outcome, refuse } from '../outcome.js';
import { Fields } from './fields.js';
import type { Json } from './json.js';
import type { Envelope, Registration, Revision, Scope } from './shapes.js';

export const ID = /^[a-z][a-z0-9-]{0,63}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
const LARGEST = Number.MAX_SAFE_INTEGER;

function decodeRequest(value: Json | undefined): Outcome<Envelope['request']> {
  const read = new Fields(value, 'request', [
    'addonId',
    'resourceId',
    'operationId',
    'generation',
    'action',
    'arguments',
  ]);
  const resourceId = read.raw('resourceId') === '' ? undefined : read.raw('resourceId');
  const request = {
    addonId: read.matching('addonId', ID, 'an add-on id'),
    operationId: read.matching('operationId', ID, 'an operation id'),
    generation: read.integer('generation', 1, LARGEST),
    action: read.matching('action', ID, 'an action'),
    arguments: read.objectAt('arguments'),
  };
  if (resourceId === undefined) return read.finish(request);
  return read.finish({ ...request, resourceId: read.matching('resourceId', ID, 'a resource id') });
}

function decodeAuthority(value: Json | undefined): Outcome<Envelope['authority']> {
  const read = new Fields(value, 'authority', ['actor', 'scope', 'expiresAt']);
  const actor = new Fields(read.raw('actor'), 'actor', ['userId', 'credentialId', 'mode']);
  const principal = (key: string) => {
    const id = actor.text(key, 256);
    if (Buffer.byteLength(id) > 256) actor.fail(`actor: "${key}" must be at most 256 bytes`);
    return id;
  };
  const decoded = actor.finish({
    userId: principal('userId'),
    credentialId: principal('credentialId'),
    mode: actor.oneOf('mode', ['named-user', 'local-owner']),
  });
  const expiresAt = read.matching('expiresAt', TIME, 'an RFC 3339 time');
  if (Number.isNaN(Date.parse(expiresAt))) read.fail('authority: "expiresAt" must be an RFC 3339 time');
  return read.finish({
    actor: read.nested(decoded, { userId: '', credentialId: '', mode: '' }),
    scope: read.oneOf('scope', ['read', 'preview', 'apply', 'output', 'act']),
    expiresAt,
  });
}

export function decodeEnvelope(value: Json | undefined): Outcome<Envelope> {
  const read = new Fields(value, 'envelope', ['request', 'authority']);
  const request = decodeRequest(read.raw('request'));
  const authority = decodeAuthority(read.raw('authority'));
  if (!request.ok) return request;
  if (!authority.ok) return authority;
  const acting = [request.value.action === 'act', authority.value.scope === 'act'];
  if (acting[0] !== acting[1]) read.fail('the scope "act" and the action "act" go together');
  return read.finish({ request: request.value, authority: authority.value });
}

export function decodeRevision(value: Json | undefined): Outcome<Revision> {
  const read = new Fields(value, 'revision', ['schema', 'data']);
  return read.finish({ schema: read.integer('schema', 1, LARGEST), data: read.integer('data', 0, LARGEST) });
}

export function decodeApply(value: Json): Outcome<{ readonly envelope: Envelope; readonly revision: Revision }> {
  const read = new Fields(value, 'body', ['envelope', 'revision']);
  const finished = read.finish(null);
  if (!finished.ok) return finished;
  const envelope = decodeEnvelope(read.raw('envelope'));
  if (!envelope.ok) return envelope;
  const revision = decodeRevision(read.raw('revision'));
  if (!revision.ok) return revision;
  return read.finish({ envelope: envelope.value, revision: revision.value });
}

export function decodeReceiptRequest(value: Json): Outcome<string> {
  const read = new Fields(value, 'body', ['operationId']);
  return read.finish(read.matching('operationId', ID, 'an operation id'));
}

/**
 * Whether this process may serve the envelope on a route of this scope now. A refusal is 422, or 409 for another
 * generation: on `/apply` only 400, 409, 422 and 429 say that nothing was applied, and nothing was.
 */
export function admit(envelope: Envelope, scope: Scope, registration: Registration, now: Date): Outcome<Envelope> {
  const { request, authority } = envelope;
  const no = (code: string, message: string) => refuse({ status: 422, code, message });
  if (request.addonId !== registration.addonId) return no('wrong_addon', 'The request is addressed to another add-on.');
  if (authority.scope !== scope) {
    return no('scope', `The authority is for "${authority.scope}", and this call needs "${scope}".`);
  }
  if (request.generation !== registration.generation) {
    return refuse({ status: 409, code: 'stale', message: 'The add-on was changed since. Load the page again.' });
  }
  if (Date.parse(authority.expiresAt) <= now.getTime()) {
    return no('expired', 'The authority of the request has expired. Nothing was changed.');
  }
  return { ok: true, value: envelope };
}
