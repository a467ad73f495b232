/** Reads the fields of one JSON object strictly: unknown fields are refused, and the first problem found is the answer. */
import { accept, malformed, type Outcome } from '../outcome.js';
import { isObject, type Json, type JsonObject } from './json.js';

/**
 * A reader goes on with a harmless value after a problem, so that decoders read like lists; `finish` then answers
 * the first problem instead of the value.
 */
export class Fields {
  private readonly object: JsonObject;
  private problem: string | undefined;

  constructor(
    value: Json | undefined,
    private readonly what: string,
    known: readonly string[],
  ) {
    this.object = isObject(value) ? value : {};
    if (!isObject(value)) this.fail(`${what} must be an object`);
    for (const key of Object.keys(this.object)) {
      if (!known.includes(key)) this.fail(`${what} has an unknown field ${JSON.stringify(key.slice(0, 64))}`);
    }
  }

  fail(problem: string): void {
    this.problem ??= problem;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.object, key);
  }

  raw(key: string): Json | undefined {
    return this.has(key) ? this.object[key] : undefined;
  }

  text(key: string, maximum: number, minimum = 1): string {
    const value = this.raw(key);
    if (typeof value === 'string' && value.length >= minimum && value.length <= maximum) return value;
    this.fail(`${this.what}: "${key}" must be a text of ${minimum} to ${maximum} characters`);
    return '';
  }

  matching(key: string, pattern: RegExp, described: string): string {
    const value = this.raw(key);
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.fail(`${this.what}: "${key}" must be ${described}`);
    return '';
  }

  oneOf<const A extends string>(key: string, choices: readonly [A, ...A[]]): A {
    const value = this.raw(key);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) this.fail(`${this.what}: "${key}" must be one of ${choices.join(', ')}`);
    return found ?? choices[0];
  }

  integer(key: string, minimum: number, maximum: number): number {
    const value = this.raw(key);
    if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum) return value;
    this.fail(`${this.what}: "${key}" must be a whole number from ${minimum} to ${maximum}`);
    return minimum;
  }

  flag(key: string): boolean {
    const value = this.raw(key);
    if (value !== undefined && typeof value !== 'boolean') this.fail(`${this.what}: "${key}" must be true or false`);
    return value === true;
  }

  list(key: string, minimum: number, maximum: number): readonly Json[] {
    const value = this.raw(key);
    if (Array.isArray(value) && value.length >= minimum && value.length <= maximum) return value;
    this.fail(`${this.what}: "${key}" must be a list of ${minimum} to ${maximum} entries`);
    return [];
  }

  objectAt(key: string): JsonObject {
    const value = this.raw(key);
    if (isObject(value)) return value;
    this.fail(`${this.what}: "${key}" must be an object`);
    return {};
  }

  /** Takes over what a nested decoder answered. */
  nested<A>(outcome: Outcome<A>, otherwise: A): A {
    if (outcome.ok) return outcome.value;
    this.fail(outcome.refusal.message.replace(/\.$/, ''));
    return otherwise;
  }

  finish<A>(value: A): Outcome<A> {
    return this.problem === undefined ? accept(value) : malformed(`${this.problem}.`);
  }
}
