/** How a call that may be refused answers: a value, or a refusal a person can read. Exceptions are for faults. */

/**
 * Why a call was refused. 400 and 422 mean nothing was applied, 409 a conflict that ends the operation, 429 busy
 * (wire.md, "Add-on process").
 */
export interface Refusal {
  readonly status: 400 | 401 | 404 | 405 | 409 | 413 | 415 | 422 | 429;
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export type Outcome<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly refusal: Refusal };

export const accept = <A>(value: A): Outcome<A> => ({ ok: true, value });

export const refuse = (refusal: Refusal): Outcome<never> => ({ ok: false, refusal });

/** The call is understood but cannot be done, such as an unknown table. Nothing was applied. */
export const unfit = (code: string, message: string): Outcome<never> => refuse({ status: 422, code, message });

/** The call is malformed. Nothing was applied. */
export const malformed = (message: string): Outcome<never> => refuse({ status: 400, code: 'invalid_request', message });

export const conflict = (code: string, message: string): Outcome<never> => refuse({ status: 409, code, message });

/** Too much is going on. Nothing was applied, and the same call may be repeated later. */
export const busy = (retryAfterSeconds: number, message: string): Outcome<never> =>
  refuse({ status: 429, code: 'busy', message, retryAfterSeconds });
