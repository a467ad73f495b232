/** The resource owner stops waiting for an outcome (10:232-242); of an unknown creation, its proposer (10:133-136). */
import {
  closedRefusal,
  digestMismatch,
  isUnresolved,
  type KnownProposal,
  UNKNOWN_PROPOSAL,
} from '../../aggregates/proposal.js';
import type { ProposalView } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { requireRole, sameOwner } from '../authority.js';
import type { Caller } from '../gateway.js';
import { askExists } from '../resources/exists.js';
import { type Desk, proposalUnavailable, ready } from './desk.js';
import { isProposer, known, onSurface } from './find.js';
import { lookUp } from './lookup.js';
import { dropReservation } from './sweep.js';
import { viewOf } from './view.js';

const MAX_REASON = 512;

/** The proposal, for the owner role of its resource; one denial for everybody and everything else. */
function resolvable(desk: Desk, caller: Caller, id: string): Either<Refusal, KnownProposal> {
  const { ahead } = desk.context.store;
  const found = known(ahead, id);
  if (isLeft(found)) return found;
  const { record } = found.right;
  const resource = ahead.get(resourceKind, record.resourceId);
  if (record.action === 'create' && resource.state !== 'active')
    return isProposer(found.right, caller.actor) ? found : left(UNKNOWN_PROPOSAL);
  return isLeft(requireRole(ahead, caller.actor, record, 'owner')) ? left(UNKNOWN_PROPOSAL) : found;
}

/** A reservation is given up only when the add-on says that nothing exists; it stays pending otherwise. */
async function isVain(desk: Desk, caller: Caller, proposal: KnownProposal): Promise<boolean> {
  const { resourceId, action } = proposal.record;
  const reserved = desk.context.store.ahead.get(resourceKind, resourceId);
  if (action !== 'create' || reserved.state !== 'reserved' || !sameOwner(reserved, caller.actor)) return false;
  return (await askExists(desk, resourceId, reserved)) === false;
}

const answer = (desk: Desk, caller: Caller, id: string): Either<Refusal, ProposalView> => {
  const now = known(desk.context.store.visible, id);
  return isLeft(now) ? now : right(viewOf(desk, now.right, caller.actor));
};

/**
 * Answers the settled view when a final receipt was found, else the abandoned one; a repeat answers the same. Refuses
 * `denied`, `invalid_request` for a reason over 512 characters or none, `digest_mismatch`, `proposal_closed` for a
 * proposal that was never handed over, `proposal_unavailable` while its apply still runs here.
 */
export async function resolve(
  desk: Desk,
  caller: Caller,
  id: string,
  body: { digest: string; reason: string },
): Promise<Either<Refusal, ProposalView>> {
  const { store } = desk.context;
  const surface = onSurface(caller, id);
  if (isLeft(surface)) return surface;
  const found = resolvable(desk, caller, id);
  if (isLeft(found)) return found;
  const open = ready(desk);
  if (isLeft(open)) return open;
  if (body.reason.trim() === '' || [...body.reason].length > MAX_REASON)
    return left(refuse('invalid_request', `Say why, in at most ${MAX_REASON} characters. Nothing changed.`));
  const proposal = found.right;
  if (body.digest !== proposal.record.digest) return left(digestMismatch(id));
  const settled = await store.settled(id);
  if (isLeft(settled)) return left(proposalUnavailable(id, 'The storage failed.'));
  if (proposal.state === 'applied' || proposal.state === 'rejected' || proposal.state === 'abandoned-unknown')
    return answer(desk, caller, id);
  if (!isUnresolved(proposal)) return left(closedRefusal(proposal));
  if (desk.live.has(id)) return left(proposalUnavailable(id, 'The change is being applied right now.'));
  if ((await lookUp(desk, id, 'resolver')) === 'settled') return answer(desk, caller, id);
  const vain = await isVain(desk, caller, proposal);
  const { userId: by } = caller.actor;
  const decided = store.decide(proposalKind, id, { type: 'abandon', by, reason: body.reason, digest: body.digest });
  if (isLeft(decided)) {
    const now = known(store.visible, id);
    return !isLeft(now) && now.right.state !== 'pending' ? answer(desk, caller, id) : decided;
  }
  const reservation = vain ? dropReservation(desk, proposal, 'the add-on says that nothing was created') : [];
  const committed = await store.commit(
    { changes: [decided.right, ...reservation] },
    { actor: caller.actor, operationId: id },
  );
  // A resolution applies nothing, so its outcome is never unknown (10:189-192).
  if (isLeft(committed) && committed.left.refusal === 'outcome_unknown')
    return left(proposalUnavailable(id, 'The storage failed.'));
  return isLeft(committed) ? committed : answer(desk, caller, id);
}
