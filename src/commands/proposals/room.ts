/** Bounds on stored proposals, and what is dropped to make room for a new one (10:98-107). */
import {
  isDue,
  isKnown,
  isSettled,
  isUnresolved,
  type KnownProposal,
  type Proposal,
} from '../../aggregates/proposal.js';
import type { Actor } from '../../contract/actor.js';
import { type Either, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import type { OwnerState } from '../../projections/owner-state.js';

const MIB = 1_048_576;
export const USER_PROPOSALS = 32;
export const USER_BYTES = 16 * MIB;
export const STORE_PROPOSALS = 1_024;
export const STORE_BYTES = 64 * MIB;

const quota = (code: string, message: string): Either<Refusal, never> =>
  left(refuse('quota_reached', `${message} Nothing was stored.`, { code }));

/** Settled without ever having been abandoned; an abandoned record stays its 30 days whatever came later (10:247-248). */
const droppable = (proposal: Proposal): boolean =>
  isSettled(proposal) && !('resolution' in proposal && proposal.resolution !== undefined);

const bytesOf = (proposals: readonly KnownProposal[]): number =>
  proposals.reduce((sum, { record }) => sum + record.argumentsBytes, 0);

/**
 * Ids to forget so that one more proposal with `bytes` of arguments fits. The proposer's own bound is checked first,
 * so that nobody can use up another's share. Refuses `quota_reached` with the bound's name as code.
 */
export function makeRoom(
  state: OwnerState,
  proposer: Actor,
  bytes: number,
  now: string,
): Either<Refusal, readonly string[]> {
  const all = [...state.all(proposalKind).values()].filter(isKnown);
  const isMine = ({ record }: KnownProposal) =>
    record.proposer.userId === proposer.userId && record.proposer.mode === proposer.mode;
  const live = all.filter(
    (proposal) =>
      isMine(proposal) && (isUnresolved(proposal) || (proposal.state === 'pending' && !isDue(proposal, now))),
  );
  if (live.length >= USER_PROPOSALS)
    return quota('proposals_per_user', `You have ${USER_PROPOSALS} open proposals. Decide or cancel some first.`);
  if (bytesOf(live) + bytes > USER_BYTES)
    return quota('argument_bytes_per_user', 'The arguments of your open proposals take 16 MiB. Decide or cancel some.');
  let count = all.length;
  let total = bytesOf(all);
  const dropped: string[] = [];
  const oldest = all.filter(droppable).sort((a, b) => a.position - b.position);
  for (const proposal of [...oldest.filter(isMine), ...oldest.filter((other) => !isMine(other))]) {
    if (count < STORE_PROPOSALS && total + bytes <= STORE_BYTES) break;
    dropped.push(proposal.record.operationId);
    count -= 1;
    total -= proposal.record.argumentsBytes;
  }
  if (count >= STORE_PROPOSALS)
    return quota(
      'proposals_total',
      `The server holds ${STORE_PROPOSALS} proposals. Repeat the call when some were decided.`,
    );
  if (total + bytes > STORE_BYTES)
    return quota('argument_bytes_total', 'The server holds 64 MiB of proposed arguments. Repeat the call later.');
  return right(dropped);
}
