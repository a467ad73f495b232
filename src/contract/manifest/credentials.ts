/** Credentials the host keeps for the person, and the argument it checks against the person's list (02:358-396). */
import { isObject, list, member, oneOf, type Report, record, text } from '../shape.js';
import { CAPABILITIES, entries, type Facts, NEEDS_API_2, repeats } from './facts.js';
import { demands, isStringProperty, offers } from './tools.js';
import { name, plain } from './words.js';

export const credentials = list(
  record(
    { id: name, title: plain(80), kind: oneOf('token') },
    {
      resourceArgument: text({
        rule: 'argument',
        says: 'the name of a string argument: a letter, then letters, digits, hyphens or underscores',
        pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
        max: 64,
      }),
    },
  ),
  { min: 1, max: 4 },
);

const AT = member(CAPABILITIES, 'credentials');

export function credentialRules(facts: Facts, report: Report): void {
  if (!Object.hasOwn(facts.capabilities, 'credentials')) return;
  if (facts.oldApi) report(AT, 'api-2', NEEDS_API_2);
  if (!isObject(facts.capabilities.connector))
    report(AT, 'credentials', 'Credentials are kept in a binding, so the manifest must declare a connector kind.');
  if (facts.adminTools.size > 0)
    report(member(CAPABILITIES, 'adminTools'), 'credentials', 'An add-on with credentials has read tools only.');
  for (const tool of facts.tools)
    if (!facts.definition.has(tool))
      report(member(CAPABILITIES, 'tools'), 'credentials', `"${tool}" needs a definition that says it is a read tool.`);
  for (const { value, at } of facts.definitions) {
    if (value.kind !== 'read')
      report(member(at, 'kind'), 'credentials', 'An add-on with credentials has read tools only.');
    else if (offers(value, 'resourceId'))
      report(member(at, 'inputSchema'), 'credentials', 'A tool of an add-on with credentials names no resourceId.');
  }
  const declared = entries(facts.capabilities.credentials, AT);
  const ids = declared.flatMap(({ value, at }) =>
    typeof value.id === 'string' ? [{ value: value.id, at: member(at, 'id') }] : [],
  );
  repeats(ids, (at) => report(at, 'repeated-id', 'Each credential needs an id of its own.'));
  for (const { value } of declared) argumentRules(facts, value.resourceArgument, report);
}

function argumentRules(facts: Facts, argument: unknown, report: Report): void {
  if (typeof argument !== 'string') return;
  for (const { value, at } of facts.definitions) {
    if (!offers(value, argument)) continue;
    const path = member(at, 'inputSchema');
    if (!isStringProperty(value, argument)) report(path, 'resource-argument', `"${argument}" must be of type string.`);
    else if (!demands(value, argument))
      report(path, 'resource-argument', `A tool that declares "${argument}" must require it.`);
  }
}
