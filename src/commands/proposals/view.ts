/** A proposal as its proposer sees it (wire, "Routes"). */
import type { KnownProposal } from '../../aggregates/proposal.js';
import type { Actor } from '../../contract/actor.js';
import type { ProposalView, UnresolvedView } from '../../contract/api.js';
import type { Receipt } from '../../contract/wire.js';
import { roleOn } from '../authority.js';
import { blockerOf } from './blocking.js';
import { readBodies, readOutcome } from './bodies.js';
import { type Desk, millisOf } from './desk.js';

type Shared = Omit<ProposalView, 'arguments' | 'receipt'>;

function receiptOf(desk: Desk, proposal: KnownProposal): Receipt | undefined {
  if (proposal.state !== 'applied' && proposal.state !== 'rejected') return undefined;
  if (proposal.revision === undefined) return undefined;
  const { result } = readOutcome(desk.context.store.journal, proposal.outcomeRef);
  return {
    operationId: proposal.record.addonOperationId,
    state: proposal.state === 'applied' ? 'committed' : 'rejected',
    revision: proposal.revision,
    ...(result === undefined ? {} : { result }),
  };
}

function rejectionOf(desk: Desk, proposal: KnownProposal): Pick<ProposalView, 'rejection'> {
  if (proposal.state !== 'rejected') return {};
  const { message } = readOutcome(desk.context.store.journal, proposal.outcomeRef);
  return { rejection: { code: proposal.code, message: message ?? 'The change was not applied.' } };
}

function blockOf(desk: Desk, proposal: KnownProposal, reader: Actor): Pick<ProposalView, 'blocked' | 'blockedBy'> {
  const { operationId, resourceId } = proposal.record;
  const { visible } = desk.context.store;
  if (proposal.state !== 'pending') return {};
  const blockedBy = blockerOf(desk, visible, resourceId, operationId);
  if (blockedBy === undefined) return {};
  return roleOn(visible, reader, resourceId) === 'owner' ? { blocked: true, blockedBy } : { blocked: true };
}

function shared(desk: Desk, proposal: KnownProposal, reader: Actor): Shared {
  const { record } = proposal;
  const bodies = readBodies(desk.context.store.journal, record);
  const name = record.displayName === undefined ? {} : { displayName: record.displayName };
  return {
    id: record.operationId,
    state: proposal.state,
    addonId: record.addonId,
    resourceId: record.resourceId,
    action: record.action,
    tool: record.tool,
    generation: record.generation,
    revision: record.revision,
    effects: { count: record.count, sample: bodies?.sample ?? [] },
    digest: record.digest,
    createdAt: record.createdAt,
    expiresAt: record.expiresAt,
    proposer: { userId: record.proposer.userId, ...name },
    via: record.via,
    ...blockOf(desk, proposal, reader),
    ...rejectionOf(desk, proposal),
    ...('resolution' in proposal && proposal.resolution !== undefined ? { resolution: proposal.resolution } : {}),
  };
}

/** The whole view; arguments and receipt are the proposer's alone (10:228-229). */
export function viewOf(desk: Desk, proposal: KnownProposal, reader: Actor): ProposalView {
  const { record } = proposal;
  const own = record.proposer.userId === reader.userId && record.proposer.mode === reader.mode;
  const bodies = own ? readBodies(desk.context.store.journal, record) : undefined;
  const receipt = own ? receiptOf(desk, proposal) : undefined;
  return {
    ...shared(desk, proposal, reader),
    arguments: bodies?.arguments ?? {},
    ...(receipt === undefined ? {} : { receipt }),
  };
}

/** An entry of a resource's unresolved list: never the arguments, never a credential (10:224-229). */
export function unresolvedViewOf(desk: Desk, proposal: KnownProposal, reader: Actor): UnresolvedView {
  const ageMs = millisOf(desk) - Date.parse(proposal.record.createdAt);
  return { ...shared(desk, proposal, reader), ageSeconds: Math.max(0, Math.floor(ageMs / 1_000)) };
}
