/** Finding a proposal for a caller: their own, or one denial for everything else. */
import { isKnown, type KnownProposal, UNKNOWN_PROPOSAL } from '../../aggregates/proposal.js';
import type { Actor } from '../../contract/actor.js';
import { type Either, left, right } from '../../contract/fp.js';
import { isId } from '../../contract/identifiers.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import type { OwnerState } from '../../projections/owner-state.js';
import type { Caller } from '../gateway.js';

export const isNamespaceId = (id: unknown): id is string => typeof id === 'string' && isId(id);

export function known(state: OwnerState, id: string): Either<Refusal, KnownProposal> {
  const proposal = isNamespaceId(id) ? state.get(proposalKind, id) : undefined;
  return proposal !== undefined && isKnown(proposal) ? right(proposal) : left(UNKNOWN_PROPOSAL);
}

export const isProposer = (proposal: KnownProposal, actor: Actor): boolean =>
  proposal.record.proposer.userId === actor.userId && proposal.record.proposer.mode === actor.mode;

export function own(state: OwnerState, actor: Actor, id: string): Either<Refusal, KnownProposal> {
  const found = known(state, id);
  return found._tag === 'Right' && !isProposer(found.right, actor) ? left(UNKNOWN_PROPOSAL) : found;
}

/**
 * The owner's own check of the confirmation surface, whatever route or transport the call took (10:148-162): the
 * request came over it, for exactly this subject, with a person's session (or, without accounts, no credential).
 */
export function onSurface(caller: Caller, subject: string): Either<Refusal, void> {
  const { mode, credentialId } = caller.actor;
  const kinds = mode === 'local-owner' ? ['local', 'session'] : ['session'];
  const personal = kinds.includes(caller.via.kind) && (mode !== 'local-owner' || credentialId === 'local-owner');
  if (personal && caller.surface !== undefined && caller.surface.subject === subject) return right(undefined);
  return left(
    refuse(
      'denied',
      'This can be done only by the person, from the page that shows what would happen. Nothing changed.',
    ),
  );
}
