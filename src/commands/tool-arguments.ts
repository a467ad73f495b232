/** Interim: replaced by the schema check of the contract. */
import { type Either, right } from '../contract/fp.js';
import type { JsonObject } from '../contract/json.js';
import type { ToolDefinition } from '../contract/manifest-types.js';
import type { Refusal } from '../contract/refusal.js';

export function checkArguments(_tool: ToolDefinition, _args: JsonObject, _resourceId?: string): Either<Refusal, void> {
  return right(undefined);
}
