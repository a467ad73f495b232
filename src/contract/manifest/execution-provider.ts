/** The execution provider: command tools and the status tool the host reads (02:70-93). */
import type { JsonObject } from '../json.js';
import { isObject, list, member, type Report, record } from '../shape.js';
import { CAPABILITIES, type Facts, strings } from './facts.js';
import { demands, offers } from './tools.js';
import { name } from './words.js';

export const executionProvider = record({ tools: list(name, { min: 1, max: 8, unique: true }), statusTool: name });

const AT = member(CAPABILITIES, 'executionProvider');

export function executionProviderRules(facts: Facts, report: Report): void {
  const { executionProvider: provider } = facts.capabilities;
  if (!isObject(provider)) return;
  const bound = strings(provider.tools, member(AT, 'tools'));
  for (const { value, at } of bound) {
    const definition = facts.tools.has(value) ? facts.definition.get(value) : undefined;
    if (definition?.kind !== 'action') report(at, 'provider', 'This must name a declared tool of kind "action".');
    else if (definition.shadows !== 'bash') report(at, 'provider', 'A bound tool must replace "bash" through shadows.');
  }
  if (typeof provider.statusTool !== 'string') return;
  const path = member(AT, 'statusTool');
  const status = facts.tools.has(provider.statusTool) ? facts.definition.get(provider.statusTool) : undefined;
  if (status?.kind !== 'read' || status.uiOnly !== true)
    report(path, 'status-tool', 'This must name a declared tool of kind "read" with "uiOnly": true.');
  else if (!takesNothing(status))
    report(
      path,
      'status-tool',
      'The status tool must accept {}: an object schema that requires nothing, without resourceId.',
    );
}

function takesNothing(definition: JsonObject): boolean {
  const schema = definition.inputSchema;
  if (!isObject(schema) || offers(definition, 'resourceId')) return false;
  return !isObject(schema.properties) || !Object.keys(schema.properties).some((key) => demands(definition, key));
}
