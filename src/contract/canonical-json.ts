/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, numbers as ECMAScript prints them, no white space.
 * It stands on the append path, so the common cases (plain ASCII text, keys already in order) allocate nothing extra.
 */
import type { Json } from './json.js';

/** Text that JSON prints as it is: printable ASCII without the quote and the backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const MAX_DEPTH = 256;

/**
 * The canonical text of a JSON value.
 * @throws TypeError for what JSON cannot say exactly: a number that is not finite, a lone surrogate, `undefined`, a
 *   function, symbol or bigint, an object that is neither plain nor an array, or nesting beyond 256 levels.
 */
export function canonicalJson(value: Json): string {
  return write(value, 0, false);
}

/**
 * The same for what goes into a journal record (wire, "Journal record"), whose readers need no more than integers
 * below 2^53 and ASCII keys to agree on every byte. @throws TypeError for other numbers and keys as well.
 */
export function recordJson(value: Json): string {
  return write(value, 0, true);
}

/** The JSON string literal of a text. @throws TypeError for a lone surrogate. */
export function canonicalString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (LONE_SURROGATE.test(text)) throw new TypeError('a text has a lone surrogate');
  return JSON.stringify(text);
}

function write(value: unknown, depth: number, narrow: boolean): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('a number is not finite');
      if (narrow && !Number.isSafeInteger(value)) throw new TypeError('a number is not an integer below 2^53');
      return value === 0 ? '0' : String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth >= MAX_DEPTH) throw new TypeError(`nested deeper than ${MAX_DEPTH} levels`);
      return Array.isArray(value) ? writeArray(value, depth + 1, narrow) : writeObject(value, depth + 1, narrow);
    default:
      throw new TypeError(`${typeof value} is not JSON`);
  }
}

function writeArray(items: readonly unknown[], depth: number, narrow: boolean): string {
  let out = '[';
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) out += ',';
    out += write(items[index], depth, narrow);
  }
  return `${out}]`;
}

function writeObject(value: object, depth: number, narrow: boolean): string {
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('an object is not plain');
  const keys = Object.keys(value);
  if (!sorted(keys)) keys.sort();
  let out = '{';
  for (const key of keys) {
    if (out.length > 1) out += ',';
    if (narrow && !PLAIN.test(key)) throw new TypeError('a key is not plain ASCII');
    out += `${canonicalString(key)}:${write((value as Record<string, unknown>)[key], depth, narrow)}`;
  }
  return `${out}}`;
}

/** JavaScript compares strings by UTF-16 code units, which is the order RFC 8785 asks for. */
function sorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1)
    if ((keys[index - 1] as string) > (keys[index] as string)) return false;
  return true;
}
