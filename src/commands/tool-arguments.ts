/** Arguments of a call against the declared input schema of its tool (wire, "Manifest"). */
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { inputSchema, sayProblems, validateArguments } from '../contract/input-schema.js';
import type { JsonObject } from '../contract/json.js';
import type { ToolDefinition } from '../contract/manifest-types.js';
import { type Refusal, refuse } from '../contract/refusal.js';

/**
 * Refuses `invalid_request` for arguments that do not fit, a resource the tool needs and the request does not name,
 * and a resource the tool has no use for.
 */
export function checkArguments(tool: ToolDefinition, args: JsonObject, resourceId?: string): Either<Refusal, void> {
  const schema = inputSchema(tool.inputSchema);
  if (isLeft(schema))
    return left(refuse('unavailable', 'The declaration of the tool cannot be read. Nothing was sent.'));
  if (resourceId !== undefined && !schema.right.takesResource)
    return left(
      refuse('invalid_request', 'The tool works on no resource, and the request names one. Nothing was sent.'),
    );
  const problems = validateArguments(tool.inputSchema, args, resourceId === undefined ? {} : { resourceId });
  if (problems.length === 0) return right(undefined);
  return left(refuse('invalid_request', `${sayProblems(problems)} Nothing was sent.`));
}
