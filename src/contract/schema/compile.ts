/** A checked input schema as a function over values: linear in the size of the value, bounded in every cost. */
import type { Json, JsonObject } from '../json.js';
import { characters, isList, isObject, item, member } from '../shape.js';
import { type TypeName, typesOf } from './dialect.js';
import { compilePattern, MAX_PATTERN_INPUT, PATTERN_BUDGET } from './pattern.js';

export interface ArgumentProblem {
  /** Where in the arguments: `rows[3].name`; `$` is the whole. */
  readonly path: string;
  /** One sentence; never quotes the value. */
  readonly message: string;
}

const MAX_FOUND = 16;

/** One validation: where it stands, what it found, and what it may still spend on patterns. */
export class Run {
  readonly problems: ArgumentProblem[] = [];
  readonly path: (string | number)[] = [];
  private budget = PATTERN_BUDGET;

  get full(): boolean {
    return this.problems.length >= MAX_FOUND;
  }

  report(message: string): void {
    if (this.full) return;
    const path = this.path.reduce<string>(
      (at, key) => (typeof key === 'number' ? item(at, key) : member(at, key)),
      '$',
    );
    this.problems.push({ path, message });
  }

  /** Takes `cost` from the budget of this validation; false when it is used up. */
  spend(cost: number): boolean {
    this.budget -= cost;
    return this.budget >= 0;
  }
}

export type Check = (value: Json, run: Run) => void;

const matches: Readonly<Record<TypeName, (value: Json) => boolean>> = {
  object: isObject,
  array: isList,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

/** The check of a schema that `checkInputSchema` accepted. */
export function compileSchema(schema: JsonObject): Check {
  const checks: Check[] = [];
  const types = typesOf(schema);
  if (types !== undefined) {
    const says = `This must be of type ${types.join(' or ')}.`;
    const tests = types.map((one) => matches[one]);
    checks.push((value, run) => {
      if (!tests.some((test) => test(value))) run.report(says);
    });
  }
  checks.push(...valueChecks(schema));
  if (types?.includes('string')) checks.push(...stringChecks(schema));
  if (types?.includes('array')) checks.push(...listChecks(schema));
  if (types?.includes('object')) checks.push(objectCheck(schema));
  return (value, run) => {
    for (const check of checks) check(value, run);
  };
}

function valueChecks(schema: JsonObject): Check[] {
  const checks: Check[] = [];
  if (isList(schema.enum)) {
    const allowed = new Set<Json>(schema.enum);
    checks.push((value, run) => {
      if (!allowed.has(value)) run.report('This is not one of the values that are allowed here.');
    });
  }
  if (schema.const !== undefined) {
    const only = schema.const;
    checks.push((value, run) => {
      if (value !== only) run.report('This is not the one value that is allowed here.');
    });
  }
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number')
    checks.push((value, run) => {
      if (typeof value === 'number' && value < minimum) run.report(`This must be ${minimum} or more.`);
    });
  if (typeof maximum === 'number')
    checks.push((value, run) => {
      if (typeof value === 'number' && value > maximum) run.report(`This must be ${maximum} or less.`);
    });
  return checks;
}

function stringChecks(schema: JsonObject): Check[] {
  const checks: Check[] = [];
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    const [low, high] = [(minLength as number) ?? 0, (maxLength as number) ?? Number.MAX_SAFE_INTEGER];
    checks.push((value, run) => {
      if (typeof value !== 'string' || (value.length >= low * 2 && value.length <= high)) return;
      const length = characters(value);
      if (length < low) run.report(`This must have at least ${low} characters.`);
      else if (length > high) run.report(`This must have at most ${high} characters.`);
    });
  }
  if (typeof pattern === 'string') checks.push(patternCheck(pattern));
  return checks;
}

function patternCheck(source: string): Check {
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') throw new Error(`an unchecked pattern ${pattern}`);
  return (value, run) => {
    if (typeof value !== 'string' || run.full) return;
    if (value.length > MAX_PATTERN_INPUT)
      run.report(`A pattern applies here, which takes at most ${MAX_PATTERN_INPUT} characters.`);
    else if (!run.spend((value.length + 1) * pattern.weight))
      run.report('There is more text to compare with patterns than one request may hold; send it in parts.');
    else if (!pattern.test(value)) run.report('This does not have the form that is required here.');
  };
}

function listChecks(schema: JsonObject): Check[] {
  const checks: Check[] = [];
  const { minItems, maxItems, items } = schema;
  if (typeof minItems === 'number')
    checks.push((value, run) => {
      if (isList(value) && value.length < minItems) run.report(`This must have at least ${minItems} entries.`);
    });
  const most = typeof maxItems === 'number' ? maxItems : Number.MAX_SAFE_INTEGER;
  const entry = isObject(items) ? compileSchema(items) : undefined;
  checks.push((value, run) => {
    if (!isList(value)) return;
    if (value.length > most) run.report(`This must have at most ${most} entries.`);
    if (entry === undefined || value.length > most) return;
    for (let index = 0; index < value.length && !run.full; index++) {
      run.path.push(index);
      entry(value[index] as Json, run);
      run.path.pop();
    }
  });
  return checks;
}

function objectCheck(schema: JsonObject): Check {
  const properties = new Map<string, Check>();
  if (isObject(schema.properties))
    for (const [key, one] of Object.entries(schema.properties)) properties.set(key, compileSchema(one as JsonObject));
  const required = isList(schema.required) ? (schema.required as readonly string[]) : [];
  return (value, run) => {
    if (!isObject(value)) return;
    for (const key of required)
      if (!Object.hasOwn(value, key)) {
        run.path.push(key);
        run.report('This is required.');
        run.path.pop();
      }
    for (const key of Object.keys(value)) {
      if (run.full) return;
      run.path.push(key);
      const check = properties.get(key);
      if (check === undefined) run.report('This property is unknown here.');
      else check(value[key] as Json, run);
      run.path.pop();
    }
  };
}
