/** The streams `proposal-<operationId>`. A forgotten proposal leaves memory; its id stays claimed in the journal. */
import { type Proposal, type ProposalCommand, type ProposalEvent, proposalDecider } from '../../aggregates/proposal.js';
import type { StreamKind } from '../owner-state.js';

export const proposalKind: StreamKind<Proposal, ProposalCommand, ProposalEvent> = {
  name: 'proposal',
  decider: proposalDecider,
  gone: (proposal) => proposal.state === 'forgotten',
};
