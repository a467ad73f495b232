/** Resource management: the mapping to tools, admin tools and the host's own listing (09:34-42; 02:322-356). */
import { isObject, member, type Report, record, text } from '../shape.js';
import { CAPABILITIES, type Facts, NEEDS_API_2 } from './facts.js';
import { HOST_ONLY_TOOLS } from './tools.js';
import { name, plain } from './words.js';

/** The read tool on whose explicit answer interrupted creations and deletions are settled (09:42). */
export const RESOURCE_EXISTS = 'resource-exists';

/** The key of the listing's array when the manifest names none (02:345). */
export const DEFAULT_LIST_ITEMS = 'resources';

export const resources = record(
  {},
  {
    create: name,
    rename: name,
    inspect: name,
    delete: name,
    noun: plain(40),
    list: record(
      { tool: name },
      {
        items: text({
          rule: 'key',
          says: 'a key of letters, digits, hyphens and underscores that starts with a letter, other than "truncated"',
          pattern: '^(?!truncated$)[A-Za-z][A-Za-z0-9_-]{0,63}$',
          max: 64,
        }),
      },
    ),
  },
);

const KINDS = { create: 'create', rename: 'schema', inspect: 'read' } as const;
const AT = member(CAPABILITIES, 'resources');

/** Every rule about resources that looks at more than one field. */
export function resourceRules(facts: Facts, report: Report): void {
  const mapping = isObject(facts.capabilities.resources) ? facts.capabilities.resources : {};
  for (const [field, kind] of Object.entries(KINDS)) {
    const tool = mapping[field];
    if (typeof tool !== 'string') continue;
    const defined = facts.tools.has(tool) ? facts.definition.get(tool) : undefined;
    if (defined?.kind !== kind)
      report(member(AT, field), 'mapping', `This must name a tool that is declared with kind "${kind}".`);
  }
  if (typeof mapping.delete === 'string' && !facts.adminTools.has(mapping.delete))
    report(member(AT, 'delete'), 'mapping', 'This must name a tool of capabilities.adminTools.');
  if (Object.hasOwn(mapping, 'create') || Object.hasOwn(mapping, 'delete')) existsRule(facts, report);
  adminRules(facts, mapping.delete, report);
  if (isObject(mapping.list)) listRules(facts, mapping.list.tool, report);
}

function existsRule(facts: Facts, report: Report): void {
  const defined = facts.definition.get(RESOURCE_EXISTS);
  if (!facts.tools.has(RESOURCE_EXISTS) || (defined !== undefined && defined.kind !== 'read'))
    report(AT, 'resource-exists', 'A mapping with create or delete needs the read tool "resource-exists" in tools.');
}

function adminRules(facts: Facts, mapped: unknown, report: Report): void {
  const at = member(CAPABILITIES, 'adminTools');
  for (const tool of facts.adminTools) {
    if (facts.tools.has(tool)) report(at, 'admin-tool', `"${tool}" is in tools too; an admin tool must not be.`);
    else if (tool !== mapped && !HOST_ONLY_TOOLS.includes(tool))
      report(at, 'admin-tool', `"${tool}" must be the delete of capabilities.resources, or be removed.`);
  }
}

function listRules(facts: Facts, tool: unknown, report: Report): void {
  const at = member(AT, 'list');
  if (facts.oldApi) report(at, 'api-2', NEEDS_API_2);
  if (typeof tool !== 'string') return;
  const path = member(at, 'tool');
  if (HOST_ONLY_TOOLS.includes(tool)) report(path, 'host-only', 'This name belongs to the host.');
  else if (facts.tools.has(tool) || facts.adminTools.has(tool) || facts.definition.has(tool))
    report(path, 'listing', 'The host makes this tool, so no tool of the manifest may have its name.');
}
