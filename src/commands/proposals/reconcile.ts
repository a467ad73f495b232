/** The proposer's explicit lookup (10:205-208, 10:223). */
import type { ProposalView } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import type { Caller } from '../gateway.js';
import { isLost } from './blocking.js';
import { type Desk, outcomeUnknown } from './desk.js';
import { own } from './find.js';
import { lookUp } from './lookup.js';
import { expireDue } from './sweep.js';
import { viewOf } from './view.js';

/**
 * Answers the view after one lookup; for a proposal that is not unresolved, the view as it is. Refuses `denied`, and
 * `outcome_unknown` while the apply still runs here or the add-on cannot be asked.
 */
export async function reconcile(desk: Desk, caller: Caller, id: string): Promise<Either<Refusal, ProposalView>> {
  const { store } = desk.context;
  const found = own(store.ahead, caller.actor, id);
  if (isLeft(found)) return found;
  const { state } = found.right;
  if (state === 'executing' && desk.live.has(id)) return left(outcomeUnknown(id));
  if (isLost(desk, id, found.right) || state === 'abandoned-unknown') {
    const looked = await lookUp(desk, id, 'proposer');
    if (looked === 'unreachable') return left(outcomeUnknown(id));
  } else {
    await expireDue(desk);
    const settled = await store.settled(id);
    if (isLeft(settled)) return settled;
  }
  const now = own(store.visible, caller.actor, id);
  return isLeft(now) ? now : right(viewOf(desk, now.right, caller.actor));
}
