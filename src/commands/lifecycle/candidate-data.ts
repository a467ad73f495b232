/**
 * What a failed candidate left in the data directory never reaches the installed generation. A candidate of an add-on
 * starts only where no data was (07:9-16; 13, "Upgrade"), so everything that counts as data there is its own.
 */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { findInstalled } from '../../projections/installed.js';
import { processKind } from '../../projections/kinds/process.js';
import type { OwnerContext } from '../context.js';
import { clearData, dataDirectory } from './data-directory.js';

type Parts = Pick<OwnerContext, 'store' | 'log' | 'dataRoot'>;

/**
 * True when the last launch was of a generation that was never installed: generations only grow, and the ledger names
 * a launch before its process can write (07:33-36).
 */
function lastWasCandidate({ store }: Parts, addonId: string): boolean {
  const installed = findInstalled(store.visible, addonId);
  const last = store.visible.get(processKind, addonId);
  return installed !== undefined && last.phase === 'exited' && last.generation > installed.generation;
}

/**
 * To be called while nothing of the add-on runs and no upgrade of it is under way: before a launch of the installed
 * generation, and at the start of the owner. Left when something of the candidate could not be removed.
 */
export async function dropCandidateData(
  parts: Parts,
  addonId: string,
): Promise<Either<{ readonly reason: string }, void>> {
  if (!lastWasCandidate(parts, addonId)) return right(undefined);
  // The commit that failed may have been the one that installed the candidate.
  if (parts.store.journal.fenced() !== undefined) return left({ reason: 'the journal takes no events' });
  const cleared = await clearData(dataDirectory(parts.dataRoot, addonId));
  if (isLeft(cleared))
    return left({ reason: `what a failed new version wrote could not be removed (${cleared.left.reason})` });
  if (cleared.right > 0)
    parts.log.warn({ addonId, entries: cleared.right }, 'Removed what a new version wrote before its upgrade failed');
  return right(undefined);
}
