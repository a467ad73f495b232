/**
 * A proposal: one change that waits for a person, is applied at most once, and ends with a receipt (10, "Lifecycle").
 *
 *   pending -> cancelled | expired | rejected | executing
 *   executing -> applied | rejected | outcome-unknown, or back to pending when the call provably never left
 *   outcome-unknown -> applied | rejected | abandoned-unknown;  abandoned-unknown -> applied | rejected
 */
import type { ProposalState } from '../contract/api.js';
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { Revision } from '../contract/wire.js';
import type { proposalEvents } from '../events/catalogue/proposal.js';
import type { EventOf, Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

// ---- events ------------------------------------------------------------------------------------------------

export type ProposalEvent = EventOf<typeof proposalEvents>;
export type ProposalRecord = Extract<ProposalEvent, { type: 'ProposalStored' }>['payload'];

// ---- states ------------------------------------------------------------------------------------------------

export interface Resolution {
  readonly actorId: string;
  readonly at: string;
  readonly reason: string;
}

interface Stored {
  readonly record: ProposalRecord;
  /** Position of its first event: the order of lists. */
  readonly position: number;
}

/** What was handed to the add-on, and when (RFC 3339). */
interface HandedOver extends Stored {
  readonly startedAt: string;
  readonly resolution?: Resolution;
}

export type Proposal =
  | { readonly state: 'none' }
  | ({ readonly state: 'pending' } & Stored)
  | ({ readonly state: 'cancelled' | 'expired'; readonly settledAt: string } & Stored)
  | ({ readonly state: 'executing' | 'outcome-unknown' } & HandedOver)
  | ({ readonly state: 'abandoned-unknown'; readonly resolution: Resolution } & HandedOver)
  | ({
      readonly state: 'applied';
      readonly settledAt: string;
      readonly revision: Revision;
      readonly outcomeRef?: string;
    } & HandedOver)
  | ({
      readonly state: 'rejected';
      readonly settledAt: string;
      readonly code: string;
      readonly refused: boolean;
      readonly outcomeRef: string;
      readonly revision?: Revision;
      readonly startedAt?: string;
      readonly resolution?: Resolution;
    } & Stored)
  | { readonly state: 'forgotten' };

export type KnownProposal = Exclude<Proposal, { state: 'none' } | { state: 'forgotten' }>;

export const isKnown = (proposal: Proposal): proposal is KnownProposal =>
  proposal.state !== 'none' && proposal.state !== 'forgotten';

/** States that a person may still have to act on; they count as live (10:98-99). */
export const isUnresolved = (
  proposal: Proposal,
): proposal is Extract<Proposal, { state: 'executing' | 'outcome-unknown' }> =>
  proposal.state === 'executing' || proposal.state === 'outcome-unknown';

export const isSettled = (proposal: Proposal): proposal is Extract<KnownProposal, { settledAt: string }> =>
  isKnown(proposal) && 'settledAt' in proposal;

/** Bodies of a proposal beside the log, erased when it is forgotten. */
export function bodiesOf(proposal: KnownProposal): readonly string[] {
  const { argumentsRef, sampleRef } = proposal.record;
  const outcome = 'outcomeRef' in proposal && proposal.outcomeRef !== undefined ? [proposal.outcomeRef] : [];
  return [argumentsRef, sampleRef, ...outcome];
}

// ---- evolve ------------------------------------------------------------------------------------------------

const stored = ({ record, position }: Stored): Stored => ({ record, position });

function handedOver(state: KnownProposal): HandedOver | undefined {
  if (!('startedAt' in state) || state.startedAt === undefined) return undefined;
  const resolution = state.resolution === undefined ? {} : { resolution: state.resolution };
  return { ...stored(state), startedAt: state.startedAt, ...resolution };
}

export function evolve(state: Proposal, event: Recorded<ProposalEvent>): Proposal {
  if (event.type === 'ProposalStored') return { state: 'pending', record: event.payload, position: event.position };
  if (!isKnown(state)) return state;
  const given = handedOver(state);
  switch (event.type) {
    case 'ProposalCancelled':
      return { state: 'cancelled', ...stored(state), settledAt: event.at };
    case 'ProposalExpired':
      return { state: 'expired', ...stored(state), settledAt: event.at };
    case 'ExecutionStarted':
      return { state: 'executing', ...stored(state), startedAt: event.at };
    case 'ExecutionNotSent':
      return { state: 'pending', ...stored(state) };
    case 'ProposalApplied':
      return given === undefined ? state : { state: 'applied', ...given, ...event.payload, settledAt: event.at };
    case 'ProposalRejected':
      return { state: 'rejected', ...stored(state), ...given, ...event.payload, settledAt: event.at };
    case 'OutcomeUnknown':
      return given === undefined ? state : { state: 'outcome-unknown', ...given };
    case 'ProposalAbandoned': {
      const { by, reason } = event.payload;
      const resolution = { actorId: by, at: event.at, reason };
      return given === undefined ? state : { state: 'abandoned-unknown', ...given, resolution };
    }
    case 'ProposalForgotten':
      return { state: 'forgotten' };
    case 'ProposalConfirmed':
    case 'ReceiptLookedUp':
      return state;
    default: {
      const forgotten: never = event;
      return forgotten;
    }
  }
}

// ---- commands ----------------------------------------------------------------------------------------------

type Payload<T extends ProposalEvent['type']> = Extract<ProposalEvent, { type: T }>['payload'];
export type Lookup = Payload<'ReceiptLookedUp'>['by'];

export type ProposalCommand =
  | { readonly type: 'store'; readonly record: ProposalRecord }
  | { readonly type: 'cancel'; readonly by: string; readonly why: string; readonly now: string }
  | { readonly type: 'expire'; readonly now: string }
  | {
      readonly type: 'confirm';
      readonly by: string;
      readonly credentialId: string;
      /** What the person was shown. */
      readonly digest: string;
      /** What the stored record and its bodies hash to now. */
      readonly recomputed: string;
      readonly now: string;
    }
  | { readonly type: 'not-sent'; readonly why: string }
  | { readonly type: 'applied'; readonly outcome: Payload<'ProposalApplied'>; readonly lookup?: Lookup }
  | { readonly type: 'rejected'; readonly outcome: Payload<'ProposalRejected'>; readonly lookup?: Lookup }
  | { readonly type: 'lose-outcome'; readonly why: string }
  | { readonly type: 'abandon'; readonly by: string; readonly reason: string; readonly digest: string }
  | { readonly type: 'forget'; readonly why: Payload<'ProposalForgotten'>['why'] };

// ---- decide ------------------------------------------------------------------------------------------------

type Decision = Either<Refusal, readonly ProposalEvent[]>;

/** One denial for an unknown, foreign, forgotten or malformed id, so that ids cannot be probed (wire, "Routes"). */
export const UNKNOWN_PROPOSAL = refuse('denied', 'There is no such proposal, or it is not yours. Nothing changed.');

const WORDS: Readonly<Record<ProposalState, string>> = {
  pending: 'still waits for a decision',
  cancelled: 'was cancelled',
  expired: 'was not confirmed in time',
  executing: 'is being applied',
  applied: 'was applied',
  rejected: 'was rejected',
  'outcome-unknown': 'may or may not have been applied',
  'abandoned-unknown': 'was closed without a known outcome',
};

/** Why a proposal in this state takes no such decision: 410 when expired, 409 when closed otherwise, 503 while uncertain. */
export function closedRefusal(proposal: KnownProposal): Refusal {
  const { state, record } = proposal;
  const operationId = record.operationId;
  if (isUnresolved(proposal))
    return refuse(
      'outcome_unknown',
      `The change ${WORDS[state]}. It is not submitted again; look its receipt up with reconcile, or wait.`,
      { operationId },
    );
  const code = state === 'expired' ? 'proposal_expired' : 'proposal_closed';
  return refuse(code, `The proposal ${WORDS[state]}. Nothing changed by this call.`, { operationId, state });
}

export const digestMismatch = (operationId: string): Refusal =>
  refuse(
    'digest_mismatch',
    'The digest is not the one of the stored proposal, so what was shown is not what would run. Nothing ran. Read the proposal again.',
    { operationId },
  );

export const isDue = (proposal: Proposal, now: string): boolean =>
  proposal.state === 'pending' && Date.parse(proposal.record.expiresAt) <= Date.parse(now);

function confirm(state: KnownProposal, command: Extract<ProposalCommand, { type: 'confirm' }>): Decision {
  const { operationId, digest, addonOperationId } = state.record;
  if (command.digest !== digest) return left(digestMismatch(operationId));
  if (state.state !== 'pending') return left(closedRefusal(state));
  if (isDue(state, command.now)) return left(closedRefusal({ ...state, state: 'expired', settledAt: command.now }));
  if (command.recomputed !== digest) return left(digestMismatch(operationId));
  return right([
    { type: 'ProposalConfirmed', payload: { by: command.by, credentialId: command.credentialId } },
    { type: 'ExecutionStarted', payload: { addonOperationId } },
  ]);
}

function settle(state: KnownProposal, event: ProposalEvent, lookup: Lookup | undefined): Decision {
  const open = isUnresolved(state) || state.state === 'abandoned-unknown';
  const staleBeforeSending = state.state === 'pending' && event.type === 'ProposalRejected';
  if (!open && !staleBeforeSending) return right([]);
  return right(lookup === undefined ? [event] : [{ type: 'ReceiptLookedUp', payload: { by: lookup } }, event]);
}

function abandon(state: KnownProposal, command: Extract<ProposalCommand, { type: 'abandon' }>): Decision {
  if (command.digest !== state.record.digest) return left(digestMismatch(state.record.operationId));
  if (state.state === 'abandoned-unknown') return right([]);
  if (!isUnresolved(state)) return left(closedRefusal(state));
  const { by, reason } = command;
  return right([{ type: 'ProposalAbandoned', payload: { by, reason } }]);
}

export function decide(state: Proposal, command: ProposalCommand): Decision {
  if (command.type === 'store')
    return state.state === 'none'
      ? right([{ type: 'ProposalStored', payload: command.record }])
      : left(UNKNOWN_PROPOSAL);
  if (!isKnown(state)) return left(UNKNOWN_PROPOSAL);
  switch (command.type) {
    case 'cancel':
      if (state.state === 'cancelled') return right([]);
      if (state.state !== 'pending') return left(closedRefusal(state));
      if (isDue(state, command.now)) return left(closedRefusal({ ...state, state: 'expired', settledAt: command.now }));
      return right([{ type: 'ProposalCancelled', payload: { by: command.by, why: command.why } }]);
    case 'expire':
      return right(isDue(state, command.now) ? [{ type: 'ProposalExpired', payload: {} }] : []);
    case 'confirm':
      return confirm(state, command);
    case 'not-sent':
      return right(state.state === 'executing' ? [{ type: 'ExecutionNotSent', payload: { why: command.why } }] : []);
    case 'applied':
      return settle(state, { type: 'ProposalApplied', payload: command.outcome }, command.lookup);
    case 'rejected':
      return settle(state, { type: 'ProposalRejected', payload: command.outcome }, command.lookup);
    case 'lose-outcome':
      return right(state.state === 'executing' ? [{ type: 'OutcomeUnknown', payload: { why: command.why } }] : []);
    case 'abandon':
      return abandon(state, command);
    case 'forget':
      if (!isSettled(state) && state.state !== 'abandoned-unknown') return left(closedRefusal(state));
      return right([{ type: 'ProposalForgotten', payload: { why: command.why } }]);
    default: {
      const forgotten: never = command;
      return forgotten;
    }
  }
}

export const proposalDecider: Decider<Proposal, ProposalCommand, ProposalEvent> = {
  initial: { state: 'none' },
  decide,
  evolve,
};
