/** The envelope the owner sends to an add-on: a request and host-issued authority (05:242-256). */
import type { OwnershipMode } from './actor.js';
import { closed, type Either, explain, left, right, t } from './fp.js';
import { generation, id, idOrEmpty, parseTime, principal, time } from './identifiers.js';
import { DEFAULT_LIMITS, type Limits } from './limits.js';
import { opaqueObject } from './requests.js';
import { parseStrict } from './strict-json.js';
import type { Envelope, Scope } from './wire.js';

const request = closed(
  'request',
  { addonId: id, operationId: id, generation, action: id, arguments: opaqueObject },
  { resourceId: idOrEmpty },
);

const mode: t.Type<OwnershipMode> = t.keyof({ 'named-user': null, 'local-owner': null }, 'ownership mode');
const scope: t.Type<Scope> = t.keyof({ read: null, preview: null, apply: null, output: null, act: null }, 'scope');

const authority = closed('authority', {
  actor: closed('actor', { userId: principal, credentialId: principal, mode }),
  scope,
  expiresAt: time,
});

const parts = closed('envelope', { request, authority });

/** Structure only: no clock, and never proof of who acts, since only the owner issues authority (05:252-256). */
export const envelope: t.Type<Envelope> = t.refinement(
  parts,
  ({ request: asked, authority: given }) => (asked.action === 'act') === (given.scope === 'act'),
  'envelope with scope act exactly for action act',
);

/**
 * Reads an envelope within the fixed ingress bounds of the contract: 2 MiB and 64 levels, whatever is configured
 * (05:340-344). The left is the end of a sentence and quotes nothing.
 */
export function decodeEnvelope(body: Uint8Array | string): Either<string, Envelope> {
  const parsed = parseStrict(body, { maxBytes: DEFAULT_LIMITS.envelopeBytes });
  if (parsed._tag === 'Left') return left(parsed.left.message);
  const decoded = envelope.decode(parsed.right);
  return decoded._tag === 'Left' ? left(`${explain(decoded.left)}.`) : right(decoded.right);
}

const encoder = new TextEncoder();

/**
 * Admission of an envelope (05:255-256): the authority has not expired at `now` (milliseconds), and the envelope is
 * within the configured limits. The answer says why not. `bytes`: its size as JSON, where the caller knows it already.
 */
export function admitEnvelope(value: Envelope, now: number, limits: Limits, bytes?: number): string | undefined {
  const expires = parseTime(value.authority.expiresAt);
  if (expires === undefined || expires <= now) return 'The authority has expired.';
  const size = bytes ?? encoder.encode(JSON.stringify(value)).byteLength;
  if (size > limits.envelopeBytes) return `The envelope is larger than ${limits.envelopeBytes} bytes.`;
  return undefined;
}
