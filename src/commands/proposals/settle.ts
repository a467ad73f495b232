/** Recording what became of an apply, together with the reservation of a creation (10:128-137). */
import { isKnown, type KnownProposal, type Lookup, type ProposalCommand } from '../../aggregates/proposal.js';
import type { Actor } from '../../contract/actor.js';
import { type Either, isLeft, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import type { SealedBody } from '../../events/journal.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { cut, isRevision } from '../addon-call.js';
import type { Change } from '../store.js';
import { sealOutcome } from './bodies.js';
import type { Desk } from './desk.js';
import { type Outcome, resultOf } from './outcome.js';
import { dropReservation } from './sweep.js';

/** A committed creation makes the proposer the owner, also when its reservation was dropped meanwhile. */
function activation(desk: Desk, proposal: KnownProposal): readonly Change[] {
  const { store } = desk.context;
  const { action, resourceId, addonId, generation, operationId, proposer } = proposal.record;
  if (action !== 'create') return [];
  const activated = store.decide(resourceKind, resourceId, { type: 'activate', by: 'receipt' });
  if (!isLeft(activated)) return [activated.right];
  const reserved = store.decide(resourceKind, resourceId, {
    type: 'reserve',
    reservation: {
      addonId,
      owner: { userId: proposer.userId, mode: proposer.mode },
      generation,
      origin: { kind: 'proposal', operationId },
    },
  });
  if (isLeft(reserved)) return [];
  const { stream, events } = reserved.right;
  return [{ stream, events: [...events, { type: 'ResourceActivated', payload: { by: 'receipt' } }] }];
}

interface Recording {
  readonly command: ProposalCommand;
  readonly bodies: readonly SealedBody[];
  readonly reservation: readonly Change[];
}

function recordingOf(desk: Desk, proposal: KnownProposal, outcome: Outcome, lookup?: Lookup): Recording {
  const { ids } = desk.context;
  const by = lookup === undefined ? {} : { lookup };
  switch (outcome.kind) {
    case 'committed': {
      const { revision } = outcome.receipt;
      const body = sealOutcome(ids, resultOf(outcome.receipt));
      const settled = { revision: { schema: revision.schema, data: revision.data }, outcomeRef: body.ref };
      const command = { type: 'applied' as const, outcome: settled, ...by };
      return { command, bodies: [body], reservation: activation(desk, proposal) };
    }
    case 'rejected': {
      const body = sealOutcome(ids, { message: cut(outcome.message), ...resultOf(outcome.receipt) });
      const at = outcome.receipt?.revision;
      const revision = at !== undefined && isRevision(at) ? { revision: { schema: at.schema, data: at.data } } : {};
      const settled = { code: cut(outcome.code, 64), refused: outcome.refused, outcomeRef: body.ref, ...revision };
      const command = { type: 'rejected' as const, outcome: settled, ...by };
      return { command, bodies: [body], reservation: dropReservation(desk, proposal, 'the creation was rejected') };
    }
    case 'not-sent':
      return { command: { type: 'not-sent', why: outcome.why }, bodies: [], reservation: [] };
    case 'unknown':
      return { command: { type: 'lose-outcome', why: outcome.why }, bodies: [], reservation: [] };
    default: {
      const forgotten: never = outcome;
      return forgotten;
    }
  }
}

/** Remembers an outcome that could not be written, and has it written by the lookups that begin now. */
function keep(desk: Desk, id: string, outcome: Outcome): void {
  desk.live.delete(id);
  // What was never handed over has nothing to look up; the next confirmation judges it anew.
  if (desk.context.store.ahead.get(proposalKind, id).state === 'pending') return;
  desk.unrecorded.set(id, outcome);
  for (const tell of desk.onUnrecorded) tell(id);
}

/**
 * Makes an outcome durable. From the append on, nothing in this process executes the proposal any more. Refuses as
 * `Store.commit` does: the proposal then still says `executing`, and lookups go on until the outcome is recorded.
 */
export async function record(
  desk: Desk,
  id: string,
  outcome: Outcome,
  how: { readonly actor?: Actor; readonly lookup?: Lookup } = {},
): Promise<Either<Refusal, void>> {
  const { store } = desk.context;
  const proposal = store.ahead.get(proposalKind, id);
  if (!isKnown(proposal)) return right(undefined);
  const { command, bodies, reservation } = recordingOf(desk, proposal, outcome, how.lookup);
  const decided = store.decide(proposalKind, id, command);
  if (isLeft(decided)) return decided;
  const nothing = decided.right.events.length === 0;
  const committing = store
    .commit(
      nothing ? { changes: [] } : { changes: [decided.right, ...reservation], bodies },
      how.actor === undefined ? { operationId: id } : { actor: how.actor, operationId: id },
    )
    .catch((fault: unknown) => {
      keep(desk, id, outcome);
      throw fault;
    });
  desk.live.delete(id);
  const recorded = await committing;
  if (isLeft(recorded)) keep(desk, id, outcome);
  else desk.unrecorded.delete(id);
  return recorded;
}
