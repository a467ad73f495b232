/** The identifiers and scalar forms of the wire as codecs and patterns (wire, "Identifiers"; 05:245-268). */
import { t } from './fp.js';
import { NAME_PATTERN } from './manifest/words.js';

const codec = (name: string, is: (value: string) => boolean): t.Type<string> =>
  t.refinement(t.string, is, name) as t.Type<string>;

const number = (name: string, is: (value: number) => boolean): t.Type<number> =>
  t.refinement(t.number, is, name) as t.Type<number>;

const ID = new RegExp(NAME_PATTERN);
const HANDLE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const encoder = new TextEncoder();

/** Operation, resource, change and artifact ids, add-on ids, tool and action names: `[a-z][a-z0-9-]{0,63}`. */
export const isId = (value: string): boolean => ID.test(value);
/** Conversation ids and output handles: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`. A handle is never a path or URL. */
export const isHandle = (value: string): boolean => HANDLE.test(value);

export const id = codec('identifier', isId);
/** An id, or the empty string where an action concerns no resource or no add-on (05:246; wire, "Routes"). */
export const idOrEmpty = codec('identifier or empty string', (value) => value === '' || isId(value));
export const handle = codec('handle', isHandle);

/** A lifecycle generation: a whole number from 1. */
export const generation = number('generation from 1', (value) => Number.isSafeInteger(value) && value >= 1);
/** Generation 0 is no precondition; for lifecycle and management actions only (wire, "Routes"). */
export const generationOrNone = number('generation', (value) => Number.isSafeInteger(value) && value >= 0);

/** A whole number from 0, such as a size in bytes or a data revision. */
export const count = number('whole number from 0', (value) => Number.isSafeInteger(value) && value >= 0);
/** A schema revision that must not be zero (05:260-261). */
export const schemaRevision = number('schema revision from 1', (value) => Number.isSafeInteger(value) && value >= 1);

/** A principal or credential id: opaque, nonempty, at most 256 bytes (05:251-252). */
export const principal = codec(
  'principal of 1 to 256 bytes',
  (value) => value.length > 0 && value.length <= 256 && encoder.encode(value).byteLength <= 256,
);

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Milliseconds since the epoch of an RFC 3339 time; undefined for anything else, and for a day that does not exist. */
export function parseTime(value: string): number | undefined {
  const match = TIME.exec(value);
  if (match === null) return undefined;
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate())
    return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

const ZERO_TIME = Date.parse('0001-01-01T00:00:00Z');

/** An RFC 3339 time other than the zero time. Says nothing about the clock (05:255-256). */
export const time = codec('RFC 3339 time', (value) => {
  const ms = parseTime(value);
  return ms !== undefined && ms !== ZERO_TIME;
});

const MAX_BASENAME_BYTES = 255;
const UNSAFE = /[\p{Cc}/\\\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * A file name that stays one: no separator, no `.` or `..`, no control character or direction override, at most 255
 * bytes. It is still sanitized before it is offered for download (11:305-315).
 */
export const isBasename = (value: string): boolean =>
  value !== '' &&
  value !== '.' &&
  value !== '..' &&
  value.trim() !== '' &&
  !UNSAFE.test(value) &&
  encoder.encode(value).byteLength <= MAX_BASENAME_BYTES;

export const basename = codec('file name without path', isBasename);

const TOKEN = "[A-Za-z0-9!#$&^_.+'*`|~%-]{1,127}";
const MEDIA = new RegExp(
  `^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]{0,127}"))*$`,
);

/** `type/subtype`, with parameters, at most 255 characters. */
export const isMediaType = (value: string): boolean => value.length <= 255 && MEDIA.test(value);

export const mediaType = codec('media type', isMediaType);

/** A digest on the wire: `sha256:` and 64 lower-case hex digits. */
export const digest = codec('sha256 digest', (value) => /^sha256:[0-9a-f]{64}$/.test(value));

/** The incarnation of a process: 32 hex digits (wire, "Add-on process"). */
export const incarnation = codec('incarnation', (value) => /^[0-9a-f]{32}$/.test(value));

/** Issued resource ids are shorter, so that ids derived from them stay identifiers. */
export const MAX_ISSUED_RESOURCE_ID = 40;
