/**
 * Strict reading of JSON that crosses a boundary (05:3-4, 05:242-243; 10:24-30): UTF-8 without a byte order mark, one
 * value, no repeated key in any spelling, bounded bytes and depth, no number or string that would change in silence.
 */
import { type Either, left, right } from './fp.js';
import type { Json } from './json.js';
import { scanJson } from './json-scan.js';

export type StrictReason = 'too_large' | 'encoding' | 'duplicate_key' | 'too_deep' | 'syntax' | 'number' | 'surrogate';

export interface StrictProblem {
  readonly reason: StrictReason;
  /** One sentence for the person who sent the text; never quotes it. */
  readonly message: string;
}

export interface StrictOptions {
  /** Bytes of UTF-8. A text given as a string is measured the same way. */
  readonly maxBytes: number;
  /** Open arrays and objects; a scalar has depth 0. The ceiling of the contract is 64. */
  readonly maxDepth?: number;
  /** Also refuse integers beyond 2^53 - 1, which reading would round: for what a person or client asks to be done. */
  readonly exactIntegers?: boolean;
}

export const MAX_DEPTH = 64;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

const problem = (reason: StrictReason, message: string): Either<StrictProblem, never> => left({ reason, message });

/** The bytes as text, or why not: over `maxBytes`, not UTF-8, or starting with a byte order mark. */
export function strictText(input: Uint8Array | string, maxBytes: number): Either<StrictProblem, string> {
  const long = () => problem('too_large', `The JSON is larger than ${maxBytes} bytes.`);
  if (typeof input === 'string') {
    if (input.length > maxBytes) return long();
    if (input.length * 3 > maxBytes && encoder.encode(input).byteLength > maxBytes) return long();
    if (/\p{Cs}/u.test(input)) return problem('encoding', 'The text is not valid Unicode.');
    return withoutMark(input);
  }
  if (input.byteLength > maxBytes) return long();
  try {
    return withoutMark(decoder.decode(input));
  } catch {
    return problem('encoding', 'The bytes are not valid UTF-8.');
  }
}

const withoutMark = (text: string): Either<StrictProblem, string> =>
  text.charCodeAt(0) === 0xfeff ? problem('encoding', 'The text starts with a byte order mark.') : right(text);

/** Reads one JSON value strictly. Refuses with a reason and a sentence; never throws. */
export function parseStrict(input: Uint8Array | string, options: StrictOptions): Either<StrictProblem, Json> {
  const text = strictText(input, options.maxBytes);
  return text._tag === 'Left' ? text : parseStrictText(text.right, options);
}

/** The part of `parseStrict` after decoding, with the key comparison of `scanJson`. */
export function parseStrictText(
  text: string,
  options: Omit<StrictOptions, 'maxBytes'> = {},
  fold?: (key: string) => string,
  onKey?: (key: string) => void,
): Either<StrictProblem, Json> {
  const maxDepth = options.maxDepth ?? MAX_DEPTH;
  const scan = scanJson(text, maxDepth, fold, onKey);
  if (scan === 'duplicate_key') return problem('duplicate_key', 'A key is repeated in one object.');
  if (scan === 'too_deep') return problem('too_deep', `The JSON is nested deeper than ${maxDepth} levels.`);
  if (scan === 'unfinished') return problem('syntax', 'The text is not valid JSON.');
  if (scan.rounded && options.exactIntegers)
    return problem('number', 'An integer is beyond 2^53 - 1 and would be rounded; send it as a string.');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return problem('syntax', 'The text is not valid JSON.');
  }
  const changed = scan.suspicious ? changedInSilence(value) : undefined;
  return changed === undefined ? right(value) : changed;
}

/** A number that became infinite, or half of a surrogate pair: what would not survive being written again. */
function changedInSilence(value: Json): Either<StrictProblem, never> | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : problem('number', 'A number is too large to be represented.');
  if (typeof value === 'string')
    return /\p{Cs}/u.test(value) ? problem('surrogate', 'A string holds half of a surrogate pair.') : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = changedInSilence(key) ?? changedInSilence(member as Json);
    if (found !== undefined) return found;
  }
  return undefined;
}
