/**
 * The closed dialect of `inputSchema` (wire, "Manifest"): what is refused when a manifest is parsed. Everything here
 * is bounded, so that checking and compiling a hostile schema costs milliseconds.
 */
import { foldKey } from '../case-fold.js';
import type { Json, JsonObject } from '../json.js';
import { characters, isList, isObject, item, member, type Report } from '../shape.js';
import { compilePattern } from './pattern.js';

export const MAX_SCHEMA_DEPTH = 16;
export const MAX_SCHEMA_NODES = 1_024;
const MAX_ENUM = 512;
/** Patterns of all schemas of a manifest; compiling is the only expensive part of reading one. */
export const MAX_PATTERNS = 64;
const MAX_TEXT = 4_096;

export const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type TypeName = (typeof TYPES)[number];

/** Which type a keyword speaks about; the others speak about any. */
const KEYWORDS: Readonly<Record<string, readonly TypeName[] | undefined>> = {
  type: undefined,
  enum: undefined,
  const: undefined,
  description: undefined,
  title: undefined,
  default: undefined,
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
};

/** What is left to spend on the patterns of a manifest. */
export interface PatternBudget {
  patterns: number;
}

interface Budget {
  nodes: number;
  readonly shared: PatternBudget;
}

/** The types a schema names, or undefined when it names none (any value) or names them badly. */
export function typesOf(schema: JsonObject): readonly TypeName[] | undefined {
  const { type } = schema;
  if (typeof type === 'string') return TYPES.includes(type as TypeName) ? [type as TypeName] : undefined;
  return isList(type) ? (type as readonly TypeName[]) : undefined;
}

/** Reports everything in `schema` that the dialect does not take. The root must be an object schema. */
export function checkInputSchema(
  schema: Json,
  at: string,
  report: Report,
  shared: PatternBudget = { patterns: MAX_PATTERNS },
): void {
  if (!isObject(schema)) {
    report(at, 'type', 'An input schema must be an object.');
    return;
  }
  if (schema.type !== 'object')
    report(member(at, 'type'), 'schema-root', 'The type of an input schema must be "object".');
  checkNode(schema, at, report, 1, { nodes: 0, shared });
}

function checkNode(schema: Json, at: string, report: Report, depth: number, budget: Budget): void {
  if (!isObject(schema)) {
    report(at, 'type', 'A schema must be an object.');
    return;
  }
  budget.nodes += 1;
  if (budget.nodes > MAX_SCHEMA_NODES) {
    if (budget.nodes === MAX_SCHEMA_NODES + 1)
      report(at, 'schema-size', `A schema may hold at most ${MAX_SCHEMA_NODES} schemas.`);
    return;
  }
  if (depth > MAX_SCHEMA_DEPTH) {
    report(at, 'schema-depth', `A schema may be nested at most ${MAX_SCHEMA_DEPTH} levels.`);
    return;
  }
  const types = checkType(schema, at, report);
  const badType = types === undefined && Object.hasOwn(schema, 'type');
  for (const key of Object.keys(schema)) {
    const path = member(at, key);
    if (!Object.hasOwn(KEYWORDS, key)) {
      report(path, 'schema-keyword', `This keyword is not in the dialect; it has ${Object.keys(KEYWORDS).join(', ')}.`);
      continue;
    }
    const speaksOf = KEYWORDS[key];
    if (speaksOf !== undefined && !badType && !speaksOf.some((one) => types?.includes(one)))
      report(path, 'schema-keyword-type', `This keyword needs the type ${speaksOf.join(' or ')} beside it.`);
    else checkKeyword(key, schema[key] as Json, path, report, budget);
  }
  checkBounds(schema, at, report);
  checkObject(schema, at, report, depth, budget);
  if (Object.hasOwn(schema, 'items') && types?.includes('array'))
    checkNode(schema.items as Json, member(at, 'items'), report, depth + 1, budget);
}

function checkType(schema: JsonObject, at: string, report: Report): readonly TypeName[] | undefined {
  if (!Object.hasOwn(schema, 'type')) return undefined;
  const given = typeof schema.type === 'string' ? [schema.type] : schema.type;
  const good =
    isList(given) &&
    given.length > 0 &&
    given.every((one) => TYPES.includes(one as TypeName)) &&
    new Set(given).size === given.length;
  if (!good) report(member(at, 'type'), 'schema-type', `A type is one of ${TYPES.join(', ')}, or a list of them.`);
  return good ? (given as readonly TypeName[]) : undefined;
}

const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength'];

function checkKeyword(key: string, value: Json, at: string, report: Report, budget: Budget): void {
  if (COUNTS.includes(key)) {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
      report(at, 'schema-bound', 'This must be a whole number, zero or more.');
  } else if (key === 'minimum' || key === 'maximum') {
    if (typeof value !== 'number') report(at, 'schema-bound', 'This must be a number.');
  } else if (key === 'description' || key === 'title') {
    if (typeof value !== 'string' || characters(value) > MAX_TEXT)
      report(at, 'schema-text', `This must be a string of at most ${MAX_TEXT} characters.`);
  } else if (key === 'additionalProperties') {
    if (value !== false) report(at, 'schema-closed', 'Objects are closed: this may only be false, which is implied.');
  } else if (key === 'const') {
    if (typeof value === 'object' && value !== null)
      report(at, 'schema-const', 'A constant must not be a list or object.');
  } else if (key === 'enum') checkEnum(value, at, report);
  else if (key === 'pattern') checkPattern(value, at, report, budget);
}

function checkEnum(value: Json, at: string, report: Report): void {
  if (!isList(value) || value.length === 0 || value.length > MAX_ENUM) {
    report(at, 'schema-enum', `An enum is a list of 1 to ${MAX_ENUM} values.`);
    return;
  }
  if (value.some((one) => typeof one === 'object' && one !== null))
    report(at, 'schema-enum', 'The values of an enum must not be lists or objects.');
  else if (new Set(value).size < value.length) report(at, 'schema-enum', 'The values of an enum must not repeat.');
}

function checkPattern(value: Json, at: string, report: Report, budget: Budget): void {
  if (typeof value !== 'string') {
    report(at, 'schema-pattern', 'A pattern must be a string.');
    return;
  }
  budget.shared.patterns -= 1;
  if (budget.shared.patterns < 0) {
    if (budget.shared.patterns === -1)
      report(at, 'schema-pattern', `A manifest may hold at most ${MAX_PATTERNS} patterns.`);
    return;
  }
  const compiled = compilePattern(value);
  if (typeof compiled === 'string') report(at, 'schema-pattern', `This pattern ${compiled}.`);
}

function checkBounds(schema: JsonObject, at: string, report: Report): void {
  for (const what of ['Items', 'Length', 'imum']) {
    const [low, high] = [schema[`min${what}`], schema[`max${what}`]];
    if (typeof low === 'number' && typeof high === 'number' && low > high)
      report(member(at, `min${what}`), 'schema-bound-order', `The bound min${what} must not be above max${what}.`);
  }
}

function checkObject(schema: JsonObject, at: string, report: Report, depth: number, budget: Budget): void {
  if (!typesOf(schema)?.includes('object')) return;
  const properties = schema.properties;
  const names = isObject(properties) ? Object.keys(properties) : [];
  if (Object.hasOwn(schema, 'properties')) {
    const path = member(at, 'properties');
    if (!isObject(properties)) report(path, 'type', 'This must be an object of schemas.');
    else {
      checkNames(names, path, report);
      for (const key of names) checkNode(properties[key] as Json, member(path, key), report, depth + 1, budget);
    }
  }
  if (!Object.hasOwn(schema, 'required')) return;
  const { required } = schema;
  const path = member(at, 'required');
  if (!isList(required)) {
    report(path, 'type', 'This must be a list of property names.');
    return;
  }
  const declared = new Set<Json>(names);
  const seen = new Set<Json>();
  required.forEach((one, index) => {
    if (!declared.has(one)) report(item(path, index), 'schema-required', 'Only declared properties can be required.');
    else if (seen.has(one)) report(item(path, index), 'schema-required', 'This name is required twice.');
    seen.add(one);
  });
}

/** Names that the declared-tool rule would deny in arguments can never be sent, so a schema must not ask for them. */
function checkNames(names: readonly string[], at: string, report: Report): void {
  const seen = new Set<string>();
  for (const key of names) {
    const path = member(at, key);
    const folded = foldKey(key);
    if (folded === 'tool') report(path, 'schema-property', 'No property may be named "tool", in any case.');
    else if (key === '' || key.length > 128 || key === '__proto__')
      report(path, 'schema-property', 'A property name has 1 to 128 characters and is not "__proto__".');
    else if (seen.has(folded))
      report(path, 'schema-property', 'This name differs from another only in case or white space.');
    seen.add(folded);
  }
}
