/** The declared-tool rule (10:12-42), judged on the raw JSON text of `arguments` before anything reaches an add-on. */
import { foldKey } from './case-fold.js';
import { type Either, left, right } from './fp.js';
import type { JsonObject } from './json.js';
import { type Refusal, refuse } from './refusal.js';
import { MAX_DEPTH, parseStrictText } from './strict-json.js';

export interface DeclaredCall {
  /** Absent when the request names no tool. */
  readonly tool?: string;
  readonly arguments: JsonObject;
}

/** The one answer of every policy denial: which part of the rule was broken is not said (10:32, 09 "Errors"). */
export const DENIED_MESSAGE = 'Addon request denied';

const denied = (): Either<Refusal, never> => left(refuse('denied', DENIED_MESSAGE));

/**
 * Checks the raw text of `arguments` against the declared tool names (`capabilities.tools` of the installed current
 * generation). Exactly one object, at most 64 levels; no two keys of one object equal after unescaping, trimming and
 * case folding; a key that is `tool` only after that is denied; an exact `tool` must be a declared name, byte for
 * byte. Refuses with `denied` (403). Linear in the length of the text.
 */
export function declaredTool(rawArguments: string, declared: readonly string[]): Either<Refusal, DeclaredCall> {
  let disguised = false;
  const parsed = parseStrictText(rawArguments, { maxDepth: MAX_DEPTH }, foldKey, (key) => {
    if (key !== 'tool' && foldKey(key) === 'tool') disguised = true;
  });
  if (parsed._tag === 'Left' || disguised) return denied();
  const value = parsed.right;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return denied();
  const args = value as JsonObject;
  if (!Object.hasOwn(args, 'tool')) return right({ arguments: args });
  const tool = args.tool;
  if (typeof tool !== 'string' || !declared.includes(tool)) return denied();
  return right({ tool, arguments: args });
}
