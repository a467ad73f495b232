/** Which tool a request names and whether it may be named there (10:12-42, 10:63-67). */
import { declaredTool } from '../contract/declared-tool.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import type { JsonObject } from '../contract/json.js';
import type { ToolDefinition, ToolKind } from '../contract/manifest-types.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { InstalledAddon } from '../projections/installed.js';
import { checkArguments } from './tool-arguments.js';

export interface NamedTool {
  /** Absent when the arguments name no tool. */
  readonly tool?: ToolDefinition;
  readonly arguments: JsonObject;
}

const denied = (): Either<Refusal, never> => left(refuse('denied', 'Addon request denied'));
const invalid = (message: string): Either<Refusal, never> => left(refuse('invalid_request', message));

/**
 * The installed current generation the request was made for. Refuses `denied` when the add-on is not installed or the
 * generation is another one; only these are denials, since the declarations are in memory (10:35-42).
 */
export function currentGeneration(
  installed: InstalledAddon | undefined,
  generation: number,
): Either<Refusal, InstalledAddon> {
  return installed === undefined || installed.generation !== generation ? denied() : right(installed);
}

/**
 * Judges the raw text of `arguments` by the declared-tool rule and finds the definition of the tool it names. Refuses
 * `denied` by the rule, for no tool at all, one without a definition and one that is for the add-on's own page, and
 * `invalid_request` for a tool of another kind. The arguments themselves are not looked at.
 */
export function declaredDefinition(
  installed: InstalledAddon,
  rawArguments: string,
  kind: ToolKind,
): Either<Refusal, { readonly tool: ToolDefinition; readonly arguments: JsonObject }> {
  const { tools, toolDefinitions } = installed.manifest.capabilities;
  const declared = declaredTool(rawArguments, tools);
  if (isLeft(declared)) return declared;
  const tool = toolDefinitions.find(({ name }) => name === declared.right.tool);
  if (tool === undefined || tool.uiOnly === true) return denied();
  if (tool.kind !== kind)
    return invalid(`The tool is of kind ${tool.kind} and cannot be used for a call of kind ${kind}. Nothing was sent.`);
  return right({ tool, arguments: declared.right.arguments });
}

/**
 * Judges the raw text of `arguments` by the declared-tool rule, then the tool's kind and its input schema. Refuses
 * `denied` by the rule and for a declared tool without a definition, `invalid_request` for another kind, a missing or
 * uncalled-for resource, and arguments that do not fit the schema.
 */
export function namedTool(
  installed: InstalledAddon,
  rawArguments: string,
  wanted: { readonly kind: ToolKind; readonly resourceId?: string },
): Either<Refusal, NamedTool> {
  const { tools, toolDefinitions } = installed.manifest.capabilities;
  const declared = declaredTool(rawArguments, tools);
  if (isLeft(declared)) return declared;
  const { tool: name, arguments: args } = declared.right;
  if (name === undefined) return right({ arguments: args });
  const tool = toolDefinitions.find((definition) => definition.name === name);
  if (tool === undefined) return denied();
  if (tool.kind !== wanted.kind)
    return invalid(
      `The tool is of kind ${tool.kind} and cannot be used for a ${wanted.kind} request. Nothing was sent.`,
    );
  const checked = checkArguments(tool, args, wanted.resourceId);
  return isLeft(checked) ? checked : right({ tool, arguments: args });
}
