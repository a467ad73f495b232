/**
 * JSON as a boundary must read it: `JSON.parse` keeps the last of two equal keys and takes any depth, so a body could
 * mean one thing to the owner and another here. Repeated keys, deep nesting and lone surrogates are refused
 * (05:230-236).
 */
import { accept, malformed, type Outcome } from '../outcome.js';
import type { Json } from './json.js';

export const MAX_DEPTH = 64;

const TOKEN = /[ \t\n\r]*([{}[\],:"]|-?\d[\d.eE+-]*|true|false|null)/y;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

class Reader {
  private at = 0;
  problem: string | undefined;

  constructor(private readonly text: string) {}

  /** Marks the first problem; what is read afterwards no longer matters. */
  private fail(problem: string): null {
    this.problem ??= problem;
    return null;
  }

  private next(): string {
    TOKEN.lastIndex = this.at;
    const token = TOKEN.exec(this.text)?.[1];
    if (token === undefined) {
      this.fail('it is not valid JSON');
      return '';
    }
    const start = TOKEN.lastIndex - token.length;
    this.at = token === '"' ? this.endOfString(start + 1) : TOKEN.lastIndex;
    return this.text.slice(start, this.at);
  }

  /** Where the text that began before `from` ends; what stands inside is left to `JSON.parse`. */
  private endOfString(from: number): number {
    const special = /["\\]/g;
    special.lastIndex = from;
    for (let found = special.exec(this.text); found !== null; found = special.exec(this.text)) {
      if (found[0] === '"') return special.lastIndex;
      special.lastIndex += 1;
    }
    this.fail('it is not valid JSON');
    return this.text.length;
  }

  private peek(): string {
    const before = this.at;
    const token = this.next();
    this.at = before;
    return token;
  }

  private scalar(token: string): Json {
    try {
      const value = JSON.parse(token) as Json;
      if (typeof value === 'string' && LONE_SURROGATE.test(value)) return this.fail('it holds half a character');
      return typeof value === 'number' && !Number.isFinite(value) ? this.fail('a number is too large') : value;
    } catch {
      return this.fail('it is not valid JSON');
    }
  }

  private list(depth: number): Json {
    const items: Json[] = [];
    if (this.peek() === ']') {
      this.next();
      return items;
    }
    while (this.problem === undefined) {
      items.push(this.value(depth + 1));
      const token = this.next();
      if (token === ']') return items;
      if (token !== ',') this.fail('it is not valid JSON');
    }
    return null;
  }

  private object(depth: number): Json {
    const fields = new Map<string, Json>();
    if (this.peek() === '}') {
      this.next();
      return {};
    }
    while (this.problem === undefined) {
      const token = this.next();
      const key = token.startsWith('"') ? this.scalar(token) : this.fail('it is not valid JSON');
      if (typeof key !== 'string' || this.next() !== ':') return this.fail('it is not valid JSON');
      if (fields.has(key)) return this.fail(`the field ${JSON.stringify(key.slice(0, 64))} appears twice`);
      fields.set(key, this.value(depth + 1));
      const end = this.next();
      // `fromEntries` defines own properties, so a key such as `__proto__` stays an ordinary field.
      if (end === '}') return Object.fromEntries(fields);
      if (end !== ',') this.fail('it is not valid JSON');
    }
    return null;
  }

  private value(depth: number): Json {
    if (this.problem !== undefined) return null;
    const token = this.next();
    if (token !== '{' && token !== '[') {
      return /^["\-\dtfn]/.test(token) ? this.scalar(token) : this.fail('it is not valid JSON');
    }
    if (depth > MAX_DEPTH) return this.fail(`it is nested deeper than ${MAX_DEPTH} levels`);
    return token === '{' ? this.object(depth) : this.list(depth);
  }

  read(): Json {
    const value = this.value(1);
    if (this.problem === undefined && /[^ \t\n\r]/.test(this.text.slice(this.at))) this.fail('something follows it');
    return value;
  }
}

/** Reads exactly one JSON value. Refuses (400): invalid JSON, repeated keys, more than 64 levels, trailing data. */
export function parseStrict(text: string): Outcome<Json> {
  const reader = new Reader(text);
  const value = reader.read();
  return reader.problem === undefined ? accept(value) : malformed(`The body was refused: ${reader.problem}.`);
}
