/** Events of the streams `proposal-<operationId>` (10, all). Arguments, samples and results are sealed bodies, never payload. */
import { closed, t } from '../../contract/fp.js';
import { defineEvents } from '../event.js';
import { digest, namespaceId, natural, positive, text } from './codecs.js';

const actor = closed('actor', {
  userId: text(256, 1),
  credentialId: text(256, 1),
  mode: t.keyof({ 'named-user': null, 'local-owner': null }),
});

const via = closed(
  'via',
  { kind: t.keyof({ session: null, key: null, mcp: null, chat: null, local: null }) },
  { name: text(256) },
);

const revision = closed('revision', { schema: positive, data: natural });

/** What a person is asked to decide; `digest` covers all of it, with the bodies in place of their references. */
const stored = closed(
  'ProposalStored',
  {
    operationId: namespaceId,
    addonId: namespaceId,
    resourceId: namespaceId,
    action: t.keyof({ write: null, schema: null, create: null }),
    /** Empty when the arguments name no tool. */
    tool: text(256),
    generation: positive,
    /** The operation id the add-on sees (wire, "What the owner calls"). */
    addonOperationId: namespaceId,
    proposer: actor,
    via,
    revision,
    count: natural,
    sampleRef: digest,
    argumentsRef: digest,
    argumentsBytes: natural,
    digest,
    createdAt: text(64),
    expiresAt: text(64),
  },
  { displayName: text(256) },
);

export const proposalEvents = defineEvents({
  ProposalStored: { version: 1, payload: stored },
  ProposalCancelled: { version: 1, payload: closed('ProposalCancelled', { by: text(256), why: text(512) }) },
  ProposalExpired: { version: 1, payload: closed('ProposalExpired', {}) },
  ProposalConfirmed: {
    version: 1,
    payload: closed('ProposalConfirmed', { by: text(256), credentialId: text(256, 1) }),
  },
  ExecutionStarted: { version: 1, payload: closed('ExecutionStarted', { addonOperationId: namespaceId }) },
  ExecutionNotSent: { version: 1, payload: closed('ExecutionNotSent', { why: text(512) }) },
  /** `outcomeRef`: body with the receipt's result. */
  ProposalApplied: { version: 1, payload: closed('ProposalApplied', { revision }, { outcomeRef: digest }) },
  /** `outcomeRef`: body with the add-on's words and, when there was a receipt, its result; `refused`: 400 or 422. */
  ProposalRejected: {
    version: 1,
    payload: closed('ProposalRejected', { code: text(64), refused: t.boolean, outcomeRef: digest }, { revision }),
  },
  OutcomeUnknown: { version: 1, payload: closed('OutcomeUnknown', { why: text(512) }) },
  /** A lookup that settled the outcome; stands before the event that says how. */
  ReceiptLookedUp: {
    version: 1,
    payload: closed('ReceiptLookedUp', { by: t.keyof({ automatic: null, proposer: null, resolver: null }) }),
  },
  ProposalAbandoned: { version: 1, payload: closed('ProposalAbandoned', { by: text(256), reason: text(512) }) },
  ProposalForgotten: {
    version: 1,
    payload: closed('ProposalForgotten', { why: t.keyof({ retention: null, room: null }) }),
  },
});
