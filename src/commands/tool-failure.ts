/** A refused call of a tool, as the model that made it is told (02:393-395). */
import type { JsonObject } from '../contract/json.js';
import { errorOf, type Refusal } from '../contract/refusal.js';

/**
 * The result of kind `error`: its code, the words for the model, and for a limited call the seconds to wait with a note
 * against trying again before. Carries nothing that the caller of the API would not be told.
 */
export function toolFailure(refusal: Refusal): JsonObject {
  const { error } = errorOf(refusal).body;
  if (refusal.refusal !== 'busy') return { kind: 'error', code: error.code ?? error.type, message: error.message };
  const retryAfter = Math.max(1, Math.ceil(refusal.detail?.retryAfter ?? 1));
  return {
    kind: 'error',
    code: 'rate_limited',
    message: error.message,
    retryAfter,
    note: `Do not call this tool again before ${retryAfter} second${retryAfter === 1 ? ' has' : 's have'} passed.`,
  };
}
