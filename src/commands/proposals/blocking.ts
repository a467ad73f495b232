/** While an outcome on a resource is unresolved, every other write to it is denied (10:208-213). */
import { isKnown, type Proposal } from '../../aggregates/proposal.js';
import type { Actor } from '../../contract/actor.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import type { OwnerState } from '../../projections/owner-state.js';
import { roleOn } from '../authority.js';
import type { Desk } from './desk.js';

/** True for an outcome that nobody in this process is about to learn. */
export const isLost = (desk: Desk, id: string, proposal: Proposal): boolean =>
  proposal.state === 'outcome-unknown' || (proposal.state === 'executing' && !desk.live.has(id));

/** The oldest unresolved operation on a resource, other than `except`. */
export function blockerOf(desk: Desk, state: OwnerState, resourceId: string, except?: string): string | undefined {
  for (const [id, proposal] of state.all(proposalKind))
    if (id !== except && isKnown(proposal) && proposal.record.resourceId === resourceId && isLost(desk, id, proposal))
      return id;
  return undefined;
}

/** The owner role learns which operation to resolve; anybody else gets the plain denial (10:210-213). */
export function blockedRefusal(state: OwnerState, actor: Actor, resourceId: string, blockedBy: string): Refusal {
  if (roleOn(state, actor, resourceId) !== 'owner') return refuse('denied', 'Addon request denied');
  return refuse(
    'outcome_blocked',
    'An earlier change to this resource has no known outcome yet. Nothing changed. Resolve that operation first.',
    { blockedBy },
  );
}
