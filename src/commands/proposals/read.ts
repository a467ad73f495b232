/** Reading one's own proposals: one, or a page of a list, newest first (10:58-59; wire, "Routes"). */
import { isKnown, isSettled, type KnownProposal } from '../../aggregates/proposal.js';
import { UNREACHABLE } from '../../aggregates/resource.js';
import type { ProposalPage, ProposalView, UnresolvedView } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { requireRole } from '../authority.js';
import type { Caller } from '../gateway.js';
import { type Desk, ready } from './desk.js';
import { isNamespaceId, isProposer, onSurface, own } from './find.js';
import { expireDue } from './sweep.js';
import { unresolvedViewOf, viewOf } from './view.js';

export type ListedState = 'pending' | 'unresolved' | 'settled' | 'all';

const MAX_PENDING = 32;
const MAX_PAGE = 100;
const CURSOR = /^p([1-9][0-9]{0,15})$/;

/** The caller's own proposal. Refuses `denied`, the same for every other id. */
export async function read(desk: Desk, caller: Caller, id: string): Promise<Either<Refusal, ProposalView>> {
  if (!isLeft(ready(desk))) await expireDue(desk);
  const found = own(desk.context.store.visible, caller.actor, id);
  return isLeft(found) ? found : right(viewOf(desk, found.right, caller.actor));
}

function matches(state: ListedState, proposal: KnownProposal): boolean {
  switch (state) {
    case 'all':
      return true;
    case 'pending':
      return proposal.state === 'pending';
    case 'settled':
      return isSettled(proposal);
    case 'unresolved':
      return proposal.state !== 'pending' && !isSettled(proposal);
  }
}

/** A page of the caller's own proposals. Refuses `invalid_request` for a bad limit or cursor. */
export async function list(
  desk: Desk,
  caller: Caller,
  query: { readonly state: ListedState; readonly limit: number; readonly cursor?: string },
): Promise<Either<Refusal, ProposalPage>> {
  if (!Number.isSafeInteger(query.limit) || query.limit < 1 || query.limit > MAX_PAGE)
    return left(refuse('invalid_request', `The limit is a number from 1 to ${MAX_PAGE}.`));
  const cursor = query.cursor === undefined ? undefined : CURSOR.exec(query.cursor);
  if (cursor === null) return left(refuse('invalid_request', 'The cursor is not one that a list gave.'));
  const before = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor[1]);
  if (!isLeft(ready(desk))) await expireDue(desk);
  const limit = query.state === 'pending' ? Math.min(query.limit, MAX_PENDING) : query.limit;
  const mine = [...desk.context.store.visible.all(proposalKind).values()]
    .filter(isKnown)
    .filter((proposal) => isProposer(proposal, caller.actor) && matches(query.state, proposal))
    .filter((proposal) => proposal.position < before)
    .sort((a, b) => b.position - a.position);
  const page = mine.slice(0, limit);
  const last = page.at(-1);
  const proposals = page.map((proposal) => viewOf(desk, proposal, caller.actor));
  return right(
    mine.length > page.length && last !== undefined ? { proposals, next: `p${last.position}` } : { proposals },
  );
}

/**
 * Every unresolved or abandoned proposal on a resource, whoever proposed it, oldest first (10:224-232): for its owner
 * role alone, from the confirmation surface with the resource id as subject. Refuses `denied`, `resource_unreachable`.
 */
export async function unresolved(
  desk: Desk,
  caller: Caller,
  resourceId: string,
): Promise<Either<Refusal, readonly UnresolvedView[]>> {
  const surface = onSurface(caller, resourceId);
  if (isLeft(surface)) return surface;
  const { visible } = desk.context.store;
  if (!isNamespaceId(resourceId)) return left(UNREACHABLE);
  const resource = visible.get(resourceKind, resourceId);
  if (resource.state !== 'active') return left(UNREACHABLE);
  const role = requireRole(visible, caller.actor, { addonId: resource.addonId, resourceId }, 'owner');
  if (isLeft(role)) return role;
  const waiting = [...visible.all(proposalKind).values()]
    .filter(isKnown)
    .filter((proposal) => proposal.record.resourceId === resourceId && matches('unresolved', proposal))
    .sort((a, b) => a.position - b.position);
  return right(waiting.map((proposal) => unresolvedViewOf(desk, proposal, caller.actor)));
}
