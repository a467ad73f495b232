/** Settling reservations that a crash or a lost answer left behind, by asking the add-on (09:273-282, 10:132-138). */
import { isKnown } from '../../aggregates/proposal.js';
import type { ResourceCommand } from '../../aggregates/resource.js';
import { isLeft } from '../../contract/fp.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { streamName } from '../../projections/owner-state.js';
import { bounded } from '../addon-call.js';
import { clientOf, type Desk, millisOf } from '../proposals/desk.js';
import { lookUp } from '../proposals/lookup.js';
import { outcomeOfReceipt } from '../proposals/outcome.js';
import { askExists } from './exists.js';

/** `kept`: it stays pending, hidden and counted. */
export type Settled = 'activated' | 'dropped' | 'kept';

async function apply(desk: Desk, id: string, command: ResourceCommand): Promise<Settled> {
  const { store } = desk.context;
  const decided = store.decide(resourceKind, id, command);
  if (isLeft(decided)) return now(desk, id);
  const committed = await store.commit({ changes: [decided.right] });
  return isLeft(committed) ? 'kept' : now(desk, id);
}

function now(desk: Desk, id: string): Settled {
  const { state } = desk.context.store.ahead.get(resourceKind, id);
  if (state === 'active') return 'activated';
  return state === 'reserved' ? 'kept' : 'dropped';
}

/** What is known without asking whether the backing exists; undefined when only that can tell. */
async function withoutAsking(desk: Desk, id: string, operationId: string): Promise<Settled | undefined> {
  const { store } = desk.context;
  const proposal = store.ahead.get(proposalKind, operationId);
  if (!isKnown(proposal)) {
    const stored = store.journal.streamRevision(streamName(proposalKind, operationId)) > 0;
    return stored ? undefined : apply(desk, id, { type: 'drop', why: 'its proposal was never stored' });
  }
  if (proposal.record.resourceId !== id)
    return apply(desk, id, { type: 'drop', why: 'its proposal reserved another resource' });
  if (proposal.state === 'pending' || desk.live.has(operationId)) return 'kept';
  if ('settledAt' in proposal && proposal.state !== 'applied')
    return apply(desk, id, { type: 'drop', why: `its proposal is ${proposal.state}` });
  const found = await lookUp(desk, operationId, 'automatic');
  return found === 'settled' ? now(desk, id) : undefined;
}

/** The receipt of a direct creation, which has no proposal that could record it. */
async function byReceipt(desk: Desk, id: string, addonId: string): Promise<Settled | undefined> {
  const { clock, limits } = desk.context;
  const client = clientOf(desk, addonId);
  if (client === undefined) return 'kept';
  const operationId = `create-${id}`;
  const answer = await bounded(clock, limits.readTimeoutMs, (signal) => client.receipt(operationId, signal));
  if (isLeft(answer)) return answer.left.kind === 'no-receipt' ? undefined : 'kept';
  const outcome = outcomeOfReceipt(operationId, answer.right);
  if (outcome.kind === 'committed') return apply(desk, id, { type: 'activate', by: 'receipt' });
  if (outcome.kind === 'rejected') return apply(desk, id, { type: 'drop', why: 'the creation was rejected' });
  return undefined;
}

/** May "it does not exist" be believed? Not while a creation that was handed over in this process may still arrive. */
function isFinalNo(desk: Desk, id: string, operationId: string, byProposal: boolean): boolean {
  const until = desk.uncertainUntil.get(id);
  if (until === undefined) return true;
  if (byProposal && desk.context.store.ahead.get(proposalKind, operationId).state === 'outcome-unknown') return false;
  return millisOf(desk) >= until;
}

/** Settles one reservation as far as that can be known now. Never touches a creation that runs in this process. */
export async function settleReservation(desk: Desk, id: string): Promise<Settled> {
  const resource = desk.context.store.ahead.get(resourceKind, id);
  if (resource.state !== 'reserved') return now(desk, id);
  if (desk.creating.has(id)) return 'kept';
  const { origin, addonId } = resource;
  const known =
    origin.kind === 'proposal' ? await withoutAsking(desk, id, origin.operationId) : await byReceipt(desk, id, addonId);
  if (known !== undefined) return known;
  const exists = await askExists(desk, id, resource);
  if (exists === undefined || desk.creating.has(id)) return 'kept';
  if (exists) return apply(desk, id, { type: 'activate', by: 'exists' });
  if (!isFinalNo(desk, id, origin.operationId, origin.kind === 'proposal')) return 'kept';
  return apply(desk, id, { type: 'drop', why: 'the add-on says that nothing was created' });
}

/** Whether a reservation waits for anything but a person's decision. */
export function isOpen(desk: Desk, id: string): boolean {
  const { ahead } = desk.context.store;
  const resource = ahead.get(resourceKind, id);
  if (resource.state !== 'reserved' || desk.creating.has(id)) return false;
  if (resource.origin.kind === 'direct') return true;
  return ahead.get(proposalKind, resource.origin.operationId).state !== 'pending';
}

/** One pass over all open reservations, record by record; an add-on that cannot be asked is not asked again in it. */
export async function settleReservations(desk: Desk): Promise<{ readonly settled: number; readonly kept: number }> {
  const { store, log } = desk.context;
  const silent = new Set<string>();
  let [settled, kept] = [0, 0];
  for (const [id, resource] of [...store.ahead.all(resourceKind)]) {
    if (resource.state !== 'reserved' || !isOpen(desk, id)) continue;
    const outcome = silent.has(resource.addonId) ? 'kept' : await settleReservation(desk, id);
    if (outcome === 'kept') {
      kept += 1;
      if (clientOf(desk, resource.addonId) === undefined) silent.add(resource.addonId);
    } else settled += 1;
  }
  if (kept > 0) log.warn({ settled, kept }, 'some creations are not settled; their add-ons did not answer');
  return { settled, kept };
}
