/** Asking the add-on what became of an operation: read-only, repeatable, never a second submission (10:205-222). */
import { isKnown, type Lookup } from '../../aggregates/proposal.js';
import { isLeft } from '../../contract/fp.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { bounded } from '../addon-call.js';
import { isLost } from './blocking.js';
import { clientOf, type Desk } from './desk.js';
import { outcomeOfReceipt } from './outcome.js';
import { record } from './settle.js';

/**
 * `settled`: the proposal is final now. `open`: the add-on holds no final receipt, which proves nothing.
 * `unreachable`: it could not be asked, or the answer could not be recorded.
 */
export type Found = 'settled' | 'open' | 'unreachable';

async function recorded(desk: Desk, id: string, write: ReturnType<typeof record>): Promise<Found> {
  if (isLeft(await write)) return 'unreachable';
  const proposal = desk.context.store.visible.get(proposalKind, id);
  return isKnown(proposal) && (isLost(desk, id, proposal) || proposal.state === 'abandoned-unknown')
    ? 'open'
    : 'settled';
}

/** Looks the receipt of an unresolved or abandoned proposal up and records a final one. */
export async function lookUp(desk: Desk, id: string, by: Lookup): Promise<Found> {
  const { store, clock, limits } = desk.context;
  const before = store.ahead.get(proposalKind, id);
  if (!isKnown(before)) return 'settled';
  if (!isLost(desk, id, before) && before.state !== 'abandoned-unknown') return 'settled';
  const kept = desk.unrecorded.get(id);
  if (kept !== undefined) return recorded(desk, id, record(desk, id, kept));
  if (before.state === 'executing') {
    const lost = await record(desk, id, { kind: 'unknown', why: 'the outcome was not recorded' });
    if (isLeft(lost)) return 'unreachable';
  }
  const client = clientOf(desk, before.record.addonId);
  if (client === undefined) return 'unreachable';
  const { addonOperationId } = before.record;
  const answer = await bounded(clock, limits.readTimeoutMs, (signal) => client.receipt(addonOperationId, signal));
  if (isLeft(answer)) return answer.left.kind === 'no-receipt' ? 'open' : 'unreachable';
  const outcome = outcomeOfReceipt(addonOperationId, answer.right);
  if (outcome.kind !== 'committed' && outcome.kind !== 'rejected') return 'open';
  return recorded(desk, id, record(desk, id, outcome, { lookup: by }));
}
