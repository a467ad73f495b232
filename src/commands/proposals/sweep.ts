/** What time does to proposals: expiry, and forgetting after retention (10:91, 10:104-107, 10:247-248). */
import { bodiesOf, isDue, isKnown, isSettled, type Proposal } from '../../aggregates/proposal.js';
import { type Either, isLeft, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import type { Change } from '../store.js';
import { type Desk, millisOf, nowOf } from './desk.js';

const RETENTION_MS = 24 * 3_600_000;
const ABANDONED_MS = 30 * 24 * 3_600_000;

/** The event that drops the reservation of a creation that will not come to be; nothing for another action. */
export function dropReservation(desk: Desk, proposal: Proposal, why: string): readonly Change[] {
  if (!isKnown(proposal) || proposal.record.action !== 'create') return [];
  const dropped = desk.context.store.decide(resourceKind, proposal.record.resourceId, { type: 'drop', why });
  return isLeft(dropped) ? [] : [dropped.right];
}

/** The events and erasures that forget these proposals. */
export function forgetting(
  desk: Desk,
  ids: readonly string[],
  why: 'retention' | 'room',
): { readonly changes: readonly Change[]; readonly erase: readonly string[] } {
  const { store } = desk.context;
  const changes: Change[] = [];
  const erase: string[] = [];
  for (const id of ids) {
    const proposal = store.ahead.get(proposalKind, id);
    const decided = store.decide(proposalKind, id, { type: 'forget', why });
    if (isLeft(decided) || !isKnown(proposal)) continue;
    changes.push(decided.right);
    erase.push(...bodiesOf(proposal));
  }
  return { changes, erase };
}

/** Records the expiry of every pending proposal whose time is over, whoever reads it. */
export async function expireDue(desk: Desk): Promise<Either<Refusal, void>> {
  const { store } = desk.context;
  const now = nowOf(desk);
  const changes: Change[] = [];
  for (const [id, proposal] of store.ahead.all(proposalKind)) {
    if (!isDue(proposal, now)) continue;
    const expired = store.decide(proposalKind, id, { type: 'expire', now });
    if (!isLeft(expired)) changes.push(expired.right, ...dropReservation(desk, proposal, 'the proposal expired'));
  }
  return changes.length === 0 ? right(undefined) : store.commit({ changes });
}

/** When a proposal is forgotten by age, in ms since the epoch; undefined while it is not to be forgotten. */
function forgottenAt(proposal: Proposal): number | undefined {
  if (!isKnown(proposal)) return undefined;
  const resolved = 'resolution' in proposal ? proposal.resolution : undefined;
  if (resolved !== undefined) return Date.parse(resolved.at) + ABANDONED_MS;
  return isSettled(proposal) ? Date.parse(proposal.settledAt) + RETENTION_MS : undefined;
}

async function forgetOld(desk: Desk): Promise<Either<Refusal, void>> {
  const { store } = desk.context;
  const now = millisOf(desk);
  const old = [...store.ahead.all(proposalKind)]
    .filter(([, proposal]) => (forgottenAt(proposal) ?? Number.POSITIVE_INFINITY) <= now)
    .map(([id]) => id);
  const { changes, erase } = forgetting(desk, old, 'retention');
  return changes.length === 0 ? right(undefined) : store.commit({ changes, erase });
}

/** Expires and forgets what is due. Refuses as `Store.commit` does; nothing is lost then, it stays due. */
export async function sweep(desk: Desk): Promise<Either<Refusal, void>> {
  const expired = await expireDue(desk);
  return isLeft(expired) ? expired : forgetOld(desk);
}

/** Milliseconds since the epoch of the next thing that falls due, or undefined when nothing does. */
export function nextDue(desk: Desk): number | undefined {
  let next: number | undefined;
  for (const proposal of desk.context.store.ahead.all(proposalKind).values()) {
    const at = proposal.state === 'pending' ? Date.parse(proposal.record.expiresAt) : forgottenAt(proposal);
    if (at !== undefined && (next === undefined || at < next)) next = at;
  }
  return next;
}
