/**
 * Reading a request body. Everything outside `arguments` is strict here (400 `invalid_request`); what stands inside
 * `arguments` is kept as raw text for the declared-tool rule, which alone judges it (403; 10:12-42).
 */
import { type Either, explain, left, right, type t } from './fp.js';
import type { Json, JsonObject } from './json.js';
import { endOfValue } from './json-scan.js';
import { DEFAULT_LIMITS } from './limits.js';
import { type Refusal, refuse } from './refusal.js';
import { parseStrict, parseStrictText, type StrictProblem, type StrictReason, strictText } from './strict-json.js';

export interface RawBody {
  /** The members; `arguments` holds its value when that is strict JSON, and an empty object when it is not. */
  readonly value: JsonObject;
  /** The exact text of the member `arguments`; absent when the body has none. */
  readonly rawArguments?: string;
}

const MAX_BODY_BYTES = DEFAULT_LIMITS.envelopeBytes;
const EXACT = { exactIntegers: true } as const;
/** What the declared-tool rule denies (403) although the body as a whole is JSON. */
const JUDGED_BY_THE_RULE: ReadonlySet<StrictReason> = new Set(['duplicate_key', 'too_deep']);

/** The refusal of a body that could not be read: 413 when it is too large, else 400. */
export const bodyRefusal = (problem: StrictProblem): Refusal =>
  refuse(problem.reason === 'too_large' ? 'too_large' : 'invalid_request', problem.message);

const invalid = (message: string): Either<Refusal, never> => left(refuse('invalid_request', message));

interface Span {
  readonly from: number;
  readonly to: number;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Where the value of the top-level member `arguments` stands; undefined when there is none or the text is malformed. */
function argumentsSpan(text: string): Span | undefined {
  let at = 0;
  const skip = () => {
    while (isSpace(text.charCodeAt(at))) at += 1;
  };
  skip();
  if (text[at] !== '{') return undefined;
  at += 1;
  for (;;) {
    skip();
    if (text[at] !== '"') return undefined;
    const start = at;
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
    const key = text.slice(start, at);
    skip();
    if (text[at] !== ':') return undefined;
    at += 1;
    skip();
    const end = endOfValue(text, at);
    if (end === undefined) return undefined;
    if (isArgumentsKey(key)) {
      let to = end;
      while (to > at && isSpace(text.charCodeAt(to - 1))) to -= 1;
      return to > at ? { from: at, to } : undefined;
    }
    if (text[end] !== ',') return undefined;
    at = end + 1;
  }
}

function isArgumentsKey(quoted: string): boolean {
  if (!quoted.includes('\\')) return quoted === '"arguments"';
  try {
    return JSON.parse(quoted) === 'arguments';
  } catch {
    return false;
  }
}

/**
 * Reads a body of at most 2 MiB into its members and the raw text of `arguments`. Refuses `too_large` (413), and
 * `invalid_request` (400) for bad UTF-8, bad JSON, a value that is no object, and a repeated member or more than 64
 * levels outside `arguments`. Unknown members are the caller's business (`bodyOf`).
 */
export function readBody(input: Uint8Array | string): Either<Refusal, RawBody> {
  const decoded = strictText(input, MAX_BODY_BYTES);
  if (decoded._tag === 'Left') return left(bodyRefusal(decoded.left));
  const text = decoded.right;
  const span = argumentsSpan(text);
  const outside = span === undefined ? text : `${text.slice(0, span.from)}{}${text.slice(span.to)}`;
  const parsed = parseStrictText(outside, EXACT);
  if (parsed._tag === 'Left') return left(bodyRefusal(parsed.left));
  const value = parsed.right;
  if (!isObject(value)) return invalid('The body must be a JSON object.');
  if (span === undefined) return right({ value });
  const rawArguments = text.slice(span.from, span.to);
  const inside = parseStrictText(rawArguments, EXACT);
  if (inside._tag === 'Left') {
    return JUDGED_BY_THE_RULE.has(inside.left.reason) ? right({ value, rawArguments }) : left(bodyRefusal(inside.left));
  }
  return right({ value: isObject(inside.right) ? { ...value, arguments: inside.right } : value, rawArguments });
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A body with `arguments`, decoded by a closed codec: unknown, missing or malformed members are `invalid_request`.
 * The decoded `arguments` must not be used before the raw text has passed the declared-tool rule.
 */
export function bodyOf<T>(
  input: Uint8Array | string,
  codec: t.Type<T>,
): Either<Refusal, { value: T; rawArguments: string }> {
  const body = readBody(input);
  if (body._tag === 'Left') return body;
  const decoded = codec.decode(body.right.value);
  if (decoded._tag === 'Left') return invalid(`${explain(decoded.left)}.`);
  if (body.right.rawArguments === undefined) return invalid('The field "arguments" is missing.');
  return right({ value: decoded.right, rawArguments: body.right.rawArguments });
}

/** A body without `arguments`, wholly strict: 413 over 2 MiB, 400 for everything else that is wrong with it. */
export function strictBody<T>(input: Uint8Array | string, codec: t.Type<T>): Either<Refusal, T> {
  const parsed = parseStrict(input, { maxBytes: MAX_BODY_BYTES, ...EXACT });
  if (parsed._tag === 'Left') return left(bodyRefusal(parsed.left));
  const decoded = codec.decode(parsed.right);
  return decoded._tag === 'Left' ? invalid(`${explain(decoded.left)}.`) : decoded;
}
