/** Arguments against the `inputSchema` of a tool (wire, "Manifest"): the dialect, compiled once, and the judgement. */
import { type Either, left, right } from './fp.js';
import type { JsonObject } from './json.js';
import { type ArgumentProblem, type Check, compileSchema, Run } from './schema/compile.js';
import { checkInputSchema } from './schema/dialect.js';
import { type Problem, Problems } from './shape.js';

export type { ArgumentProblem } from './schema/compile.js';

export interface InputSchema {
  /** Whether the tool works on a resource that the request names. */
  readonly takesResource: boolean;
  readonly check: Check;
}

const compiled = new WeakMap<JsonObject, InputSchema>();

/** Checks and compiles a schema; all problems of the schema at once. Compiled schemas are kept with their object. */
export function inputSchema(schema: JsonObject): Either<readonly Problem[], InputSchema> {
  const known = compiled.get(schema);
  if (known !== undefined) return right(known);
  const problems = new Problems();
  checkInputSchema(schema, '$', problems.report);
  const all = problems.all();
  if (all.length > 0) return left(all);
  const properties = (schema.properties ?? {}) as JsonObject;
  const made = { takesResource: Object.hasOwn(properties, 'resourceId'), check: compileSchema(schema) };
  compiled.set(schema, made);
  return right(made);
}

/**
 * What is wrong with the arguments of a call, at most 16 problems with their paths; empty when nothing is. The key
 * `tool` belongs to the request and is not looked at. A schema's `resourceId` is the request's own field: it is taken
 * from `request` and must not be repeated in the arguments (wire, "Manifest").
 * Throws only for a schema that was never checked, which is a fault of the caller.
 */
export function validateArguments(
  schema: JsonObject,
  args: JsonObject,
  request: { readonly resourceId?: string } = {},
): readonly ArgumentProblem[] {
  const known = inputSchema(schema);
  if (known._tag === 'Left') throw new Error('an input schema that was not checked when its manifest was parsed');
  if (Object.hasOwn(args, 'resourceId'))
    return [
      { path: 'resourceId', message: 'This is a field of the request and must not be repeated in the arguments.' },
    ];
  const { tool: _, ...given } = args;
  const named = request.resourceId !== undefined && request.resourceId !== '' && known.right.takesResource;
  const run = new Run();
  known.right.check(named ? { ...given, resourceId: request.resourceId } : given, run);
  return run.problems;
}

/** The problems as one sentence for a person or a model, at most three of them written out. */
export function sayProblems(problems: readonly ArgumentProblem[]): string {
  const said = problems.slice(0, 3).map(({ path, message }) => (path === '$' ? message : `${path}: ${message}`));
  return problems.length > 3 ? `${said.join(' ')} There are more problems.` : said.join(' ');
}
