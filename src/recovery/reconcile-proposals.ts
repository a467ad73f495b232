/**
 * Proposals and reservations at start (10:133-138, 10:201-214): what a crash left executing is settled by its receipt
 * and never applied again; reservations are settled by asking. Nothing here can keep the owner from starting.
 */
import { isKnown } from '../aggregates/proposal.js';
import type { Proposals } from '../commands/proposals/index.js';
import { lookUp } from '../commands/proposals/lookup.js';
import { record } from '../commands/proposals/settle.js';
import { sweep } from '../commands/proposals/sweep.js';
import { settleReservations } from '../commands/resources/reservations.js';
import { isLeft } from '../contract/fp.js';
import { proposalKind } from '../projections/kinds/proposal.js';

export interface ProposalRecovery {
  /** Left executing by a crash; their outcome was lost. */
  readonly lost: number;
  /** Of all unresolved ones, settled by a receipt right now. */
  readonly settled: number;
  readonly reservations: { readonly settled: number; readonly kept: number };
}

/** Run it after replay and before serving. What an add-on that is not up yet cannot say is asked when it serves. */
export async function reconcileProposals({ desk, housekeeping }: Proposals): Promise<ProposalRecovery> {
  const { store, log } = desk.context;
  const unresolved: string[] = [];
  let [lost, settled] = [0, 0];
  for (const [id, proposal] of [...store.ahead.all(proposalKind)]) {
    if (!isKnown(proposal)) continue;
    if (proposal.state === 'executing') {
      lost += 1;
      const recorded = await record(desk, id, { kind: 'unknown', why: 'the owner was restarted' });
      if (isLeft(recorded)) log.warn({ operationId: id }, 'an unknown outcome could not be recorded yet');
    }
    if (proposal.state === 'executing' || proposal.state === 'outcome-unknown') unresolved.push(id);
  }
  const swept = await sweep(desk);
  if (isLeft(swept)) log.warn({ reason: swept.left.message }, 'expired proposals could not be recorded yet');
  for (const id of unresolved) {
    const found = await lookUp(desk, id, 'automatic');
    if (found === 'settled') settled += 1;
    if (found === 'unreachable') housekeeping.owe(id);
  }
  const reservations = await settleReservations(desk);
  if (unresolved.length > 0) log.info({ lost, settled }, 'proposals were settled after the restart');
  return { lost, settled, reservations };
}
