/**
 * Shapes: small codecs that report every problem with its JSON path, where a decoder would stop at the first, and
 * that know the JSON Schema of what they take. The manifest parser is made of them (docs/adr/strict-json.md).
 */
import type { Json, JsonObject } from './json.js';

export interface Problem {
  /** Where: `capabilities.toolDefinitions[0].name`; `$` is the whole document. */
  readonly path: string;
  /** Which rule, as a stable word. */
  readonly rule: string;
  /** One sentence that an author can act on. */
  readonly message: string;
}

export type Report = (path: string, rule: string, message: string) => void;

export interface Shape {
  /** JSON Schema (2020-12) of the values it takes, as far as JSON Schema can say it. */
  readonly schema: JsonObject;
  check(value: Json, at: string, report: Report): void;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The path of a member, quoted where its name is not a plain word, and cut where it is long. */
export function member(at: string, key: string): string {
  const short = key.length > 64 ? `${key.slice(0, 64)}...` : key;
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(short)) return `${at}[${JSON.stringify(short)}]`;
  return at === '$' ? short : `${at}.${short}`;
}

export const item = (at: string, index: number): string => `${at}[${index}]`;

const MAX_PROBLEMS = 100;

/** Collects problems, at most 100 and then one that says how many more there were. */
export class Problems {
  private readonly found: Problem[] = [];
  private more = 0;
  readonly report: Report = (path, rule, message) => {
    if (this.found.length < MAX_PROBLEMS) this.found.push({ path, rule, message });
    else this.more += 1;
  };
  all(): readonly Problem[] {
    if (this.more === 0) return this.found;
    return [...this.found, { path: '$', rule: 'more', message: `There are ${this.more} further problems.` }];
  }
}

/** Text by a pattern; `says` ends the sentence "... must be". Sizes in characters (code points). */
export function text(options: { rule: string; says: string; pattern?: string; max: number; flags?: string }): Shape {
  const regex = options.pattern === undefined ? undefined : new RegExp(options.pattern, 'u');
  const says = `This must be ${options.says}.`;
  return {
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: options.max,
      ...(options.pattern === undefined ? {} : { pattern: options.pattern }),
    },
    check(value, at, report) {
      if (typeof value !== 'string') return report(at, 'type', `This must be a string: ${options.says}.`);
      const short = value.length > 0 && value.length <= options.max * 2 && characters(value) <= options.max;
      if (!short || (regex !== undefined && !regex.test(value))) report(at, options.rule, says);
    },
  };
}

export function characters(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

export const boolean: Shape = {
  schema: { type: 'boolean' },
  check(value, at, report) {
    if (typeof value !== 'boolean') report(at, 'type', 'This must be true or false.');
  },
};

export function integer(min: number, max: number): Shape {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    check(value, at, report) {
      if (typeof value !== 'number' || !Number.isInteger(value))
        report(at, 'type', `This must be a whole number from ${min} to ${max}.`);
      else if (value < min || value > max) report(at, 'bounds', `This must be from ${min} to ${max}.`);
    },
  };
}

/** One of a closed list of strings, or the one literal given. */
export function oneOf(...values: readonly (string | number | boolean)[]): Shape {
  const list = values.map((value) => JSON.stringify(value)).join(', ');
  return {
    schema: values.length === 1 ? { const: values[0] as string } : { enum: values },
    check(value, at, report) {
      if (!values.includes(value as string))
        report(at, 'one-of', `This must be ${values.length > 1 ? `one of ${list}` : list}.`);
    },
  };
}

/** A list; with `unique`, two entries with the same JSON text are refused. */
export function list(
  entry: Shape,
  bounds: { readonly min?: number; readonly max?: number; readonly unique?: boolean },
): Shape {
  const { min = 0, max, unique } = bounds;
  return {
    schema: {
      type: 'array',
      items: entry.schema,
      ...(min > 0 ? { minItems: min } : {}),
      ...(max === undefined ? {} : { maxItems: max }),
      ...(unique ? { uniqueItems: true } : {}),
    },
    check(value, at, report) {
      if (!isList(value)) return report(at, 'type', 'This must be a list.');
      if (value.length < min) report(at, 'size', `This list needs at least ${min} ${min === 1 ? 'entry' : 'entries'}.`);
      if (max !== undefined && value.length > max)
        return report(at, 'size', `This list may have at most ${max} entries.`);
      const seen = new Set<string>();
      value.forEach((one, index) => {
        entry.check(one, item(at, index), report);
        if (!unique) return;
        const key = JSON.stringify(one);
        if (seen.has(key)) report(item(at, index), 'repeated', 'This entry repeats an earlier one; remove it.');
        seen.add(key);
      });
    },
  };
}

export type Fields = Readonly<Record<string, Shape>>;

/** A closed object: every required field, no unknown one. With `some`, at least one field must stand in it. */
export function record(required: Fields, optional: Fields = {}, options: { readonly some?: boolean } = {}): Shape {
  const fields = new Map(Object.entries({ ...required, ...optional }));
  const known = [...fields.keys()].join(', ');
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries([...fields].map(([key, shape]) => [key, shape.schema])),
      ...(Object.keys(required).length > 0 ? { required: Object.keys(required) } : {}),
      ...(options.some ? { minProperties: 1 } : {}),
      additionalProperties: false,
    },
    check(value, at, report) {
      if (!isObject(value)) return report(at, 'type', 'This must be an object.');
      for (const key of Object.keys(value)) {
        const shape = fields.get(key);
        if (shape === undefined)
          report(member(at, key), 'unknown-field', `This field is unknown; the fields here are ${known}.`);
        else shape.check(value[key] as Json, member(at, key), report);
      }
      for (const key of Object.keys(required))
        if (!Object.hasOwn(value, key)) report(member(at, key), 'required', 'This field is required; add it.');
      if (options.some && Object.keys(value).length === 0)
        report(at, 'empty', 'This object is empty; fill it or leave it out.');
    },
  };
}

/** One of two shapes, chosen by the kind of value: a string takes the first. */
export function stringOr(ifString: Shape, otherwise: Shape): Shape {
  return {
    schema: { anyOf: [ifString.schema, otherwise.schema] },
    check(value, at, report) {
      (typeof value === 'string' ? ifString : otherwise).check(value, at, report);
    },
  };
}
