/**
 * Confirming: exactly the stored parameters, once (10:140-162). `ProposalConfirmed` and `ExecutionStarted` are durable
 * before the add-on sees the call, and what fails after them is an unknown outcome until a receipt says otherwise.
 */
import { closedRefusal, digestMismatch, isDue, type KnownProposal } from '../../aggregates/proposal.js';
import type { ProposalView } from '../../contract/api.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { Envelope } from '../../contract/wire.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { bounded, issue } from '../addon-call.js';
import { mayCreate, requireRole, roleFor, sameOwner } from '../authority.js';
import type { Caller } from '../gateway.js';
import type { RuntimeClient } from '../ports.js';
import { namedTool } from '../tools.js';
import { blockedRefusal, blockerOf } from './blocking.js';
import { readBodies, readOutcome, recomputedDigest } from './bodies.js';
import { type Desk, nowOf, outcomeUnknown, proposalUnavailable, ready } from './desk.js';
import { onSurface, own } from './find.js';
import { handedOver } from './handed-over.js';
import { type Outcome, outcomeOfApply } from './outcome.js';
import { record } from './settle.js';
import { expireDue } from './sweep.js';
import { viewOf } from './view.js';

type Answered = Either<Refusal, ProposalView>;

/** The answer of a proposal that is not pending: the stored one, the same on every repeat (10:145-146, 10:179-182). */
function storedAnswer(desk: Desk, caller: Caller, proposal: KnownProposal, digest: string): Answered {
  if (digest !== proposal.record.digest) return left(digestMismatch(proposal.record.operationId));
  if (proposal.state === 'rejected' && proposal.refused) {
    const { message } = readOutcome(desk.context.store.journal, proposal.outcomeRef);
    const { operationId } = proposal.record;
    const code = proposal.code === 'not_permitted' ? 'not_permitted' : 'invalid_request';
    return left(refuse(code, message ?? 'The add-on refused the change.', { operationId }));
  }
  if (proposal.state === 'applied' || proposal.state === 'rejected') return right(viewOf(desk, proposal, caller.actor));
  return left(closedRefusal(proposal));
}

/** The answer by what is durable now. */
function recordedAnswer(desk: Desk, caller: Caller, id: string, digest: string): Answered {
  const found = own(desk.context.store.visible, caller.actor, id);
  return isLeft(found) ? found : storedAnswer(desk, caller, found.right, digest);
}

interface Started {
  readonly client: RuntimeClient;
  readonly envelope: Envelope;
  readonly proposal: KnownProposal;
}

/** Whether the person may still do this, and nothing unresolved stands in the way. */
function authorised(desk: Desk, caller: Caller, { record }: KnownProposal): Either<Refusal, void> {
  const state = desk.context.store.ahead;
  if (record.action === 'create') {
    const authority = mayCreate(desk.findInstalled(state, record.addonId));
    if (isLeft(authority)) return authority;
    const reserved = state.get(resourceKind, record.resourceId);
    if (reserved.state !== 'reserved' || !sameOwner(reserved, caller.actor))
      return left(refuse('denied', 'Addon request denied'));
    return right(undefined);
  }
  const role = requireRole(state, caller.actor, record, roleFor(record.action));
  if (isLeft(role)) return role;
  const blockedBy = blockerOf(desk, state, record.resourceId, record.operationId);
  if (blockedBy === undefined) return right(undefined);
  return left(blockedRefusal(state, caller.actor, record.resourceId, blockedBy));
}

/** Ends a proposal whose generation is no longer the installed one (10:94). */
const STALE: Outcome = {
  kind: 'rejected',
  code: 'stale',
  message: 'The add-on was changed since this was proposed, so nothing was applied. Propose the change again.',
  refused: false,
};

/** Every check once more, then intent made durable; the decision and its append are one synchronous step. */
async function start(desk: Desk, caller: Caller, id: string, digest: string): Promise<Either<Answered, Started>> {
  const { store, runtimes, clock, limits } = desk.context;
  const found = own(store.ahead, caller.actor, id);
  if (isLeft(found)) return left(found);
  const proposal = found.right;
  const { record: stored } = proposal;
  if (proposal.state !== 'pending' || digest !== stored.digest || isDue(proposal, nowOf(desk))) {
    // Its time may have run out while it waited for its turn, and only what is recorded is answered.
    const expired = await expireDue(desk);
    if (isLeft(expired)) return left(expired);
    const settled = await store.settled(id);
    return left(isLeft(settled) ? settled : recordedAnswer(desk, caller, id, digest));
  }
  const installed = desk.findInstalled(store.ahead, stored.addonId);
  if (installed?.changing === true) return left(left(proposalUnavailable(id, 'The add-on is being changed.')));
  if (installed === undefined || installed.generation !== stored.generation) {
    const recorded = await record(desk, id, STALE, { actor: caller.actor });
    return left(isLeft(recorded) ? recorded : recordedAnswer(desk, caller, id, digest));
  }
  const bodies = readBodies(store.journal, stored);
  const recomputed = recomputedDigest(store.journal, stored);
  if (bodies === undefined || recomputed !== stored.digest) return left(left(digestMismatch(id)));
  const resource = stored.action === 'create' ? {} : { resourceId: stored.resourceId };
  const tool = namedTool(installed, canonicalJson(bodies.arguments), { kind: stored.action, ...resource });
  if (isLeft(tool)) return left(tool);
  const allowed = authorised(desk, caller, proposal);
  if (isLeft(allowed)) return left(allowed);
  const client = runtimes.current(stored.addonId, stored.generation);
  if (isLeft(client)) return left(left(proposalUnavailable(id, 'The add-on is not running.')));
  const { credentialId, userId } = caller.actor;
  const decided = store.decide(proposalKind, id, {
    type: 'confirm',
    by: userId,
    credentialId,
    digest,
    recomputed,
    now: nowOf(desk),
  });
  if (isLeft(decided)) return left(decided);
  desk.live.add(id);
  const durable = await store.commit({ changes: [decided.right] }, { actor: caller.actor, operationId: id });
  if (isLeft(durable)) {
    desk.live.delete(id);
    return left(durable);
  }
  const envelope = issue(clock, caller.actor, 'apply', limits.applyTimeoutMs, {
    addonId: stored.addonId,
    resourceId: stored.resourceId,
    operationId: stored.addonOperationId,
    generation: stored.generation,
    action: stored.action,
    arguments: bodies.arguments,
  });
  return right({ client: client.right, envelope, proposal });
}

/** Hands the change over, once, and records what became of it. */
async function execute(desk: Desk, caller: Caller, { client, envelope, proposal }: Started): Promise<Answered> {
  const { clock, limits } = desk.context;
  const { operationId: id, revision, digest, action, resourceId } = proposal.record;
  if (action === 'create') {
    desk.creating.add(resourceId);
    handedOver(desk, resourceId);
  }
  let outcome: Outcome;
  let recorded: Either<Refusal, void>;
  try {
    const answer = await bounded(clock, limits.applyTimeoutMs, (signal) => client.apply(envelope, revision, signal));
    outcome = outcomeOfApply(proposal.record.addonOperationId, answer);
    recorded = await record(desk, id, outcome, { actor: caller.actor });
  } finally {
    desk.live.delete(id);
    desk.creating.delete(resourceId);
  }
  if (outcome.kind !== 'unknown') desk.uncertainUntil.delete(resourceId);
  if (outcome.kind === 'not-sent') {
    if (isLeft(recorded)) return recorded;
    if (outcome.retryAfter !== undefined)
      return left(
        refuse('busy', 'The add-on is busy. Nothing was applied and the proposal waits again.', {
          operationId: id,
          retryAfter: outcome.retryAfter,
        }),
      );
    return left(proposalUnavailable(id, 'The call did not reach the add-on.'));
  }
  if (isLeft(recorded) || outcome.kind === 'unknown') return left(outcomeUnknown(id));
  return recordedAnswer(desk, caller, id, digest);
}

/**
 * Applies a proposal from the person's own confirmation surface. Answers the view when it was applied or rejected,
 * also on a repeat. Refuses `denied`, `digest_mismatch`, `proposal_closed`, `proposal_expired`, `resource_unreachable`,
 * `outcome_blocked`, `invalid_request` (the add-on refused it), `busy`, `proposal_unavailable` (nothing was sent),
 * `outcome_unknown` (never submitted again).
 */
export async function confirm(desk: Desk, caller: Caller, id: string, body: { digest: string }): Promise<Answered> {
  const { store } = desk.context;
  const found = own(store.ahead, caller.actor, id);
  if (isLeft(found)) return found;
  const surface = onSurface(caller, id);
  if (isLeft(surface)) return surface;
  const open = ready(desk);
  if (isLeft(open)) return open;
  const expired = await expireDue(desk);
  if (isLeft(expired)) return expired;
  const turn = await desk.writes.take(found.right.record.resourceId);
  if (turn === undefined)
    return left(proposalUnavailable(id, 'Another change to the resource is still being applied.'));
  try {
    // Bodies and the stored proposal are read from what is durable.
    const settled = await store.settled(id);
    if (isLeft(settled)) return settled;
    const started = await start(desk, caller, id, body.digest);
    return isLeft(started) ? started.left : await execute(desk, caller, started.right);
  } finally {
    turn();
  }
}
