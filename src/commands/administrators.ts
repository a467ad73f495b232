/** Who may change what is installed: asked anew at every call, never inferred from what an actor says (06:255-258). */
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { Caller } from './gateway.js';

/**
 * Whether account, credential and role of the caller make an administrator right now; left when that cannot be
 * known. It is mandatory on the owner.
 */
export type AdminCheck = (caller: Caller) => Promise<Either<Refusal, boolean>>;

/** Right for an administrator, else 403 `denied`, or the refusal of a check that could not answer. */
export async function requireAdministrator(check: AdminCheck, caller: Caller): Promise<Either<Refusal, void>> {
  const answer = await check(caller);
  if (isLeft(answer)) return answer;
  return answer.right
    ? right(undefined)
    : left(refuse('denied', 'Only an administrator may do this. Nothing changed.'));
}
