/** Names of add-on tools as a model sees them: `addon__<id>__<tool>` (09:97-105). */
import { isName } from './manifest/words.js';

export const MAX_CALLABLE_NAME = 64;

/** The qualified name, or undefined when a part is no namespace name. It may be too long to be called. */
export function qualifiedName(addonId: string, tool: string): string | undefined {
  return isName(addonId) && isName(tool) ? `addon__${addonId}__${tool}` : undefined;
}

/** Whether a model can call the tool by its qualified name: at most 64 characters. */
export function isCallable(addonId: string, tool: string): boolean {
  const name = qualifiedName(addonId, tool);
  return name !== undefined && name.length <= MAX_CALLABLE_NAME;
}

/** The parts of a qualified name, or undefined for a plain or malformed one. */
export function parseQualifiedName(name: string): { addonId: string; tool: string } | undefined {
  const match = /^addon__([a-z][a-z0-9-]{0,63})__([a-z][a-z0-9-]{0,63})$/.exec(name);
  return match === null ? undefined : { addonId: match[1] as string, tool: match[2] as string };
}

/** Whether a name may be bound as a tool of the selected provider: qualified, well formed, and its own (09:100-102). */
export function belongsTo(name: string, addonId: string): boolean {
  return parseQualifiedName(name)?.addonId === addonId;
}
