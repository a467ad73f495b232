/**
 * `journal salvage`: go on with what a journal still holds. Only for a log that is intact in itself but does not reach
 * its anchor; what lies between is lost, and the person who runs it accepts that.
 */
import { readAnchor, writeAnchor } from '../lmdb/anchor.js';
import { type Verification, verifyJournal } from './verify.js';

export interface Salvage {
  readonly verification: Verification;
  /** Events that the anchor had seen and the log does not hold; absent when the anchor could not be read. */
  readonly lost?: number;
  readonly anchored: boolean;
}

/** Verifies the whole log in a child and, when it is good, anchors its head. The caller holds the owner lock. */
export async function salvageJournal(directory: string): Promise<Salvage> {
  const anchor = await readAnchor(directory);
  const verification = await verifyJournal(directory, { against: 'itself' });
  if (!verification.ok) return { verification, anchored: false };
  const { events, hash } = verification;
  await writeAnchor(directory, { position: events, hash });
  const lost = anchor === undefined || anchor === 'damaged' ? {} : { lost: Math.max(0, anchor.position - events) };
  return { verification, ...lost, anchored: true };
}
