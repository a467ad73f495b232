/** What an add-on answers to the owner, decoded strictly and within the byte limits (05:258-269; wire, "Add-on process"). */
import { closed, type Either, explain, left, right, t } from './fp.js';
import {
  basename,
  count,
  generation,
  handle,
  id,
  incarnation,
  mediaType,
  schemaRevision,
  time,
} from './identifiers.js';
import type { Json, JsonObject } from './json.js';
import { DEFAULT_LIMITS, type Limits } from './limits.js';
import { isList, isObject } from './shape.js';
import { parseStrict } from './strict-json.js';
import type { Output, Preview, Receipt, Registration, Result } from './wire.js';

const json = t.unknown as t.Type<unknown> as t.Type<Json>;

/** Outputs of one result; the owner reserves one artifact for each, and keeps at most this many (05:334). */
export const MAX_OUTPUTS = DEFAULT_LIMITS.artifactCount;

const output: t.Type<Output> = closed('output', { handle, name: basename, mediaType, size: count });
const outputs = t.refinement(
  t.readonlyArray(output),
  (list) => list.length <= MAX_OUTPUTS && new Set(list.map((one) => one.handle)).size === list.length,
  `list of at most ${MAX_OUTPUTS} outputs with different handles`,
);

const result: t.Type<Result> = closed('result', {}, { payload: json, outputs });

const revision = closed('revision', { schema: schemaRevision, data: count });
/** Only a committed receipt must name a schema revision (05:265-266). */
const receiptRevision = closed('revision', { schema: count, data: count });

const preview: t.Type<Preview> = closed('preview', { operationId: id, revision, expiresAt: time, summary: json });

export const receipt: t.Type<Receipt> = t.refinement(
  closed(
    'receipt',
    {
      operationId: id,
      state: t.keyof({ pending: null, committed: null, rejected: null, unknown: null }, 'receipt state'),
      revision: receiptRevision,
    },
    { result },
  ),
  (value) => value.state !== 'committed' || value.revision.schema > 0,
  'receipt that names a schema revision when committed',
);

const registration: t.Type<Registration> = closed('registration', {
  protocol: t.literal(1),
  addonId: id,
  version: t.string,
  generation,
  incarnation,
  endpoint: t.string,
  capabilities: t.UnknownRecord as unknown as t.Type<JsonObject>,
});

const encoder = new TextEncoder();

/** The left is what is wrong, as the end of a sentence, without its full stop; it quotes nothing of the answer. */
type Decoded<A> = Either<string, A>;

function decode<A>(body: Uint8Array, codec: t.Type<A>, maxBytes: number): Decoded<A> {
  const parsed = parseStrict(body, { maxBytes });
  if (parsed._tag === 'Left') return left(parsed.left.message.replace(/\.$/, ''));
  const decoded = codec.decode(parsed.right);
  return decoded._tag === 'Left' ? left(explain(decoded.left)) : right(decoded.right);
}

/** Whether a value, written as JSON, stays within `limit` bytes. A body that is smaller is not written again. */
const fits = (value: unknown, body: Uint8Array, limit: number): boolean =>
  body.byteLength <= limit || encoder.encode(JSON.stringify(value ?? null)).byteLength <= limit;

const overPayload = (limits: Limits) => left(`The payload is larger than ${limits.payloadBytes} bytes`);

/** The answer of `/read` and `/act`: at most `envelopeBytes`, its payload at most `payloadBytes`. */
export function decodeResult(body: Uint8Array, limits: Limits = DEFAULT_LIMITS): Decoded<Result> {
  const decoded = decode(body, result, limits.envelopeBytes);
  if (decoded._tag === 'Left') return decoded;
  return fits(decoded.right.payload, body, limits.payloadBytes) ? decoded : overPayload(limits);
}

/** The answer of `/preview`; its summary is opaque and at most `payloadBytes`. */
export function decodePreview(body: Uint8Array, limits: Limits = DEFAULT_LIMITS): Decoded<Preview> {
  const decoded = decode(body, preview, limits.envelopeBytes);
  if (decoded._tag === 'Left') return decoded;
  return fits(decoded.right.summary, body, limits.payloadBytes) ? decoded : overPayload(limits);
}

/** The answer of `/apply` and `/receipt`. A state of `unknown` is neither success nor rejection (05:264-265). */
export function decodeReceipt(body: Uint8Array, limits: Limits = DEFAULT_LIMITS): Decoded<Receipt> {
  const decoded = decode(body, receipt, limits.envelopeBytes);
  if (decoded._tag === 'Left') return decoded;
  return fits(decoded.right.result?.payload, body, limits.payloadBytes) ? decoded : overPayload(limits);
}

/** The answer of `GET /health`; compare it with `registrationDifference`. */
export const decodeRegistration = (body: Uint8Array): Decoded<Registration> =>
  decode(body, registration, DEFAULT_LIMITS.manifestBytes + 4_096);

const FIELDS = ['protocol', 'addonId', 'version', 'generation', 'incarnation', 'endpoint', 'capabilities'] as const;

/** The first field in which a registration differs from the one that was issued; undefined when they are equal. */
export function registrationDifference(told: Registration, issued: Registration): string | undefined {
  return FIELDS.find((field) => !sameJson(told[field], issued[field]));
}

/** Equality of JSON values: the order of members does not count, nothing else is forgiven. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((one, index) => sameJson(one, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}
