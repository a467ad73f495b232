/** Withdrawing a pending proposal, by its proposer (10:90). */
import type { ProposalView } from '../../contract/api.js';
import { type Either, isLeft, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import type { Caller } from '../gateway.js';
import { type Desk, nowOf, ready } from './desk.js';
import { own } from './find.js';
import { dropReservation, expireDue } from './sweep.js';
import { viewOf } from './view.js';

/**
 * Answers the cancelled view, also on a repeat. Refuses `denied`, `proposal_closed` and `proposal_expired` with the
 * state, `outcome_unknown` for one that was handed to the add-on.
 */
export async function cancel(desk: Desk, caller: Caller, id: string): Promise<Either<Refusal, ProposalView>> {
  const { store } = desk.context;
  const found = own(store.ahead, caller.actor, id);
  if (isLeft(found)) return found;
  const open = ready(desk);
  if (isLeft(open)) return open;
  const expired = await expireDue(desk);
  if (isLeft(expired)) return expired;
  const decided = store.decide(proposalKind, id, {
    type: 'cancel',
    by: caller.actor.userId,
    why: 'withdrawn by its proposer',
    now: nowOf(desk),
  });
  if (isLeft(decided)) {
    const settled = await store.settled(id);
    return isLeft(settled) ? settled : decided;
  }
  const proposal = store.ahead.get(proposalKind, id);
  const changes =
    decided.right.events.length === 0 ? [] : dropReservation(desk, proposal, 'the proposal was cancelled');
  const committed = await store.commit(
    { changes: [decided.right, ...changes] },
    { actor: caller.actor, operationId: id },
  );
  if (isLeft(committed)) return committed;
  const now = own(store.visible, caller.actor, id);
  return isLeft(now) ? now : right(viewOf(desk, now.right, caller.actor));
}
