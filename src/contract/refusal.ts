/**
 * Refusals are values with a stable code; exceptions are for faults. This is the one table from code to HTTP
 * status and error type, used by every route and every transport (11, "Errors"; 05:308-316; wire.md, "Errors").
 */

interface Row {
  readonly status: number;
  readonly type: string;
  /** The `code` beside the type, where the type alone is shared by several refusals. */
  readonly code?: string;
}

const TABLE = {
  invalid_request: { status: 400, type: 'invalid_request' },
  unauthenticated: { status: 401, type: 'addon_error', code: 'unauthenticated' },
  denied: { status: 403, type: 'addon_error', code: 'denied' },
  resource_unreachable: { status: 403, type: 'resource_unreachable' },
  quota_reached: { status: 403, type: 'quota_reached' },
  outcome_blocked: { status: 403, type: 'outcome_blocked' },
  not_permitted: { status: 403, type: 'not_permitted' },
  no_credential: { status: 403, type: 'addon_error', code: 'no_credential' },
  resource_not_allowed: { status: 403, type: 'addon_error', code: 'resource_not_allowed' },
  package_unverified: { status: 403, type: 'package_unverified' },
  sdk_incompatible: { status: 403, type: 'sdk_incompatible' },
  library_unavailable: { status: 403, type: 'library_unavailable' },
  library_conflict: { status: 403, type: 'library_conflict' },
  release_not_found: { status: 403, type: 'release_not_found' },
  package_fetch_failed: { status: 403, type: 'package_fetch_failed' },
  install_storage_failed: { status: 403, type: 'install_storage_failed' },
  not_found: { status: 404, type: 'addon_error', code: 'not_found' },
  not_selected: { status: 404, type: 'not_selected' },
  method: { status: 405, type: 'addon_error', code: 'method' },
  proposal_closed: { status: 409, type: 'proposal_closed' },
  proposal_expired: { status: 410, type: 'proposal_closed' },
  digest_mismatch: { status: 409, type: 'digest_mismatch' },
  operation_conflict: { status: 409, type: 'operation_conflict' },
  stale: { status: 409, type: 'stale' },
  identity_changed: { status: 409, type: 'identity_changed' },
  upgrade_unsupported: { status: 409, type: 'upgrade_unsupported' },
  upgrade_failed: { status: 409, type: 'upgrade_failed' },
  sharing_disabled: { status: 409, type: 'sharing_disabled' },
  not_ready: { status: 409, type: 'not_ready' },
  too_large: { status: 413, type: 'too_large' },
  unsupported_media: { status: 415, type: 'invalid_request' },
  wrong_host: { status: 421, type: 'wrong_host' },
  busy: { status: 429, type: 'busy' },
  unavailable: { status: 503, type: 'addon_error', code: 'unavailable' },
  starting: { status: 503, type: 'addon_error', code: 'starting' },
  fenced: { status: 503, type: 'addon_error', code: 'fenced' },
  outcome_unknown: { status: 503, type: 'outcome_unknown' },
  proposal_unavailable: { status: 503, type: 'proposal_unavailable' },
  insufficient_storage: { status: 503, type: 'insufficient_storage' },
  timeout: { status: 504, type: 'addon_error', code: 'timeout' },
} as const satisfies Record<string, Row>;

export type RefusalCode = keyof typeof TABLE;

/** Further fields of the error body; all optional, all safe to show to the caller who gets the refusal. */
export interface RefusalDetail {
  readonly operationId?: string;
  readonly blockedBy?: string;
  /** Seconds; also sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** The state of a closed proposal. */
  readonly state?: string;
  /** The names that a call may use instead. */
  readonly allowed?: readonly string[];
  /** Overrides the table's `code`, for example the name of the quota that was reached. */
  readonly code?: string;
}

export interface Refusal {
  readonly refusal: RefusalCode;
  /** One or two plain sentences: what happened, what did not, what to do. Never a path, credential or foreign id. */
  readonly message: string;
  readonly detail?: RefusalDetail;
}

export const refuse = (refusal: RefusalCode, message: string, detail?: RefusalDetail): Refusal =>
  detail === undefined ? { refusal, message } : { refusal, message, detail };

export interface ErrorBody {
  readonly error: { readonly type: string; readonly message: string } & RefusalDetail;
}

/** HTTP status and `{"error": ...}` body of a refusal. */
export function errorOf(refusal: Refusal): { status: number; body: ErrorBody } {
  const row: Row = TABLE[refusal.refusal];
  const code = row.code === undefined ? {} : { code: row.code };
  return {
    status: row.status,
    body: { error: { type: row.type, message: refusal.message, ...code, ...refusal.detail } },
  };
}
