/** Tools and their definitions (05:29-30; 07:115-119; 09:44-60; 09:64-84; 02:153-198; wire, "Manifest"). */
import type { JsonObject } from '../json.js';
import { checkInputSchema, MAX_PATTERNS, typesOf } from '../schema/dialect.js';
import { boolean, isList, isObject, list, member, oneOf, type Report, record, type Shape, text } from '../shape.js';
import { CAPABILITIES, type Entry, type Facts, NEEDS_API_2 } from './facts.js';
import { isName, name, plain } from './words.js';

/** Names of the host's undo calls, which no manifest may declare (11:158-160; 13:147-149). */
export const HOST_ONLY_TOOLS: readonly string[] = ['changes-get', 'changes-undo'];

/** Built-in tools that an add-on may replace, and what the replacement must look like (09:62-82). */
export const REPLACEABLE_TOOLS: Readonly<Record<string, { readonly kind: string; readonly property: string }>> = {
  bash: { kind: 'action', property: 'command' },
  web_search: { kind: 'read', property: 'query' },
  web_fetch: { kind: 'read', property: 'url' },
};

/** Its content is checked with the rules, where all schemas share one budget for patterns. */
const inputSchema: Shape = {
  schema: { $ref: '#/$defs/inputSchema' },
  check(value, at, report) {
    if (!isObject(value)) report(at, 'type', 'An input schema must be an object.');
  },
};

const execution = record(
  { class: oneOf('commands') },
  {
    title: plain(40),
    note: plain(600),
    skills: record({}, { providesRuntimeFor: list(oneOf('documents'), { max: 8, unique: true }) }),
  },
);

export const toolNames = list(name, { unique: true });
export const adminToolNames = list(name, { max: 4, unique: true });

export const toolDefinitions = list(
  record(
    {
      name,
      kind: oneOf('read', 'write', 'schema', 'create', 'action'),
      description: text({
        rule: 'description',
        says: 'a text of 1 to 4096 characters without control characters other than line breaks and tabs',
        pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]+$',
        max: 4_096,
      }),
      inputSchema,
    },
    {
      shadows: oneOf(...Object.keys(REPLACEABLE_TOOLS)),
      uiOnly: boolean,
      execution,
    },
  ),
  {},
);

const propertiesOf = (definition: JsonObject): JsonObject => {
  const schema = definition.inputSchema;
  return isObject(schema) && isObject(schema.properties) ? schema.properties : {};
};

const requiredOf = (definition: JsonObject): readonly unknown[] => {
  const schema = definition.inputSchema;
  return isObject(schema) && isList(schema.required) ? schema.required : [];
};

export const offers = (definition: JsonObject, property: string): boolean =>
  Object.hasOwn(propertiesOf(definition), property);

export const demands = (definition: JsonObject, property: string): boolean => requiredOf(definition).includes(property);

/** Whether the tool declares `property` as a string. */
export function isStringProperty(definition: JsonObject, property: string): boolean {
  const schema = propertiesOf(definition)[property];
  return isObject(schema) && typesOf(schema)?.join() === 'string';
}

/** Every rule about tools that looks at more than one field. */
export function toolRules(facts: Facts, report: Report): void {
  const names = new Set<string>();
  const shadowed = new Set<string>();
  const budget = { patterns: MAX_PATTERNS };
  for (const entry of facts.definitions) {
    const { value, at } = entry;
    if (isName(value.name)) {
      const path = member(at, 'name');
      if (names.has(value.name)) report(path, 'repeated-id', 'A tool has one definition; remove the second.');
      names.add(value.name);
      if (facts.adminTools.has(value.name))
        report(path, 'admin-tool', 'An admin tool has no definition and is never offered; remove the definition.');
      else if (HOST_ONLY_TOOLS.includes(value.name)) report(path, 'host-only', 'This name belongs to the host.');
      else if (!facts.tools.has(value.name))
        report(path, 'undeclared', 'Add this name to capabilities.tools; only declared tools can be called.');
    }
    if (isObject(value.inputSchema)) checkInputSchema(value.inputSchema, member(at, 'inputSchema'), report, budget);
    resourceRules(entry, report);
    shadowRules(entry, shadowed, report);
    if (value.kind === 'action' && facts.capabilities.actions !== true)
      report(member(at, 'kind'), 'actions', 'An action tool needs "actions": true in capabilities.');
    if (Object.hasOwn(value, 'execution') && facts.oldApi) report(member(at, 'execution'), 'api-2', NEEDS_API_2);
  }
  for (const tool of HOST_ONLY_TOOLS) {
    if (facts.tools.has(tool))
      report(`${CAPABILITIES}.tools`, 'host-only', `"${tool}" belongs to the host; remove it.`);
    if (facts.adminTools.has(tool))
      report(`${CAPABILITIES}.adminTools`, 'host-only', `"${tool}" belongs to the host; remove it.`);
  }
}

function resourceRules({ value, at }: Entry, report: Report): void {
  const path = member(at, 'inputSchema');
  const offered = offers(value, 'resourceId');
  if (value.uiOnly === true && value.kind !== 'read')
    report(member(at, 'uiOnly'), 'ui-only', 'Only a read tool can be for the page alone.');
  if (value.uiOnly === true && offered)
    report(path, 'ui-only', 'A tool for the page alone must not name a resourceId; remove the property.');
  else if (value.kind === 'create' && offered)
    report(path, 'resource-id', 'A create tool has no resourceId, since the host reserves the resource.');
  else if (Object.hasOwn(value, 'shadows') && offered)
    report(path, 'resource-id', 'A tool that replaces a built-in one has no resourceId; remove the property.');
  else if (value.kind === 'read' && offered && !demands(value, 'resourceId'))
    report(path, 'resource-id', 'A read tool that offers resourceId must require it.');
  else if ((value.kind === 'write' || value.kind === 'schema') && !(offered && demands(value, 'resourceId')))
    report(path, 'resource-id', 'A write or schema tool must declare the property resourceId and require it.');
  else if (offered && !isStringProperty(value, 'resourceId'))
    report(path, 'resource-id', 'The property resourceId must be of type string.');
}

function shadowRules({ value, at }: Entry, shadowed: Set<string>, report: Report): void {
  if (Object.hasOwn(value, 'execution') && value.shadows !== 'bash')
    report(
      member(at, 'execution'),
      'execution',
      'Only the definition of a tool that shadows "bash" can describe execution.',
    );
  if (typeof value.shadows !== 'string' || !Object.hasOwn(REPLACEABLE_TOOLS, value.shadows)) return;
  const path = member(at, 'shadows');
  if (value.uiOnly === true) report(path, 'shadows', 'A tool for the page alone cannot replace a built-in tool.');
  if (shadowed.has(value.shadows))
    report(path, 'shadows', `Only one tool of an add-on can replace "${value.shadows}".`);
  shadowed.add(value.shadows);
  const { kind, property } = REPLACEABLE_TOOLS[value.shadows] as { kind: string; property: string };
  if (value.kind !== kind)
    report(member(at, 'kind'), 'shadows', `A tool that replaces "${value.shadows}" is of kind "${kind}".`);
  const schemaPath = member(at, 'inputSchema');
  if (!isStringProperty(value, property))
    report(
      schemaPath,
      'shadows',
      `A tool that replaces "${value.shadows}" must declare the string property "${property}".`,
    );
  else if (requiredOf(value).some((one) => one !== property && one !== 'resourceId'))
    report(schemaPath, 'shadows', `A tool that replaces "${value.shadows}" may require "${property}" only.`);
}
