/**
 * Journals whose storage breaks on purpose. What can break: any commit, from the n-th on, with an error, either
 * before anything was kept (`lost`) or after everything was (`kept`), since a caller must cope with both.
 */
import { BatchingJournal, type JournalOptions } from '../../src/events/batching-journal.js';
import { MemoryStorage } from '../../src/events/memory-journal.js';
import type { Batch } from '../../src/events/storage.js';

export interface Breakage {
  /** How many commits succeed first; 0 by default. */
  readonly after?: number;
  /** Whether the failing commit is on disk all the same. */
  readonly outcome?: 'lost' | 'kept';
}

class BreakingStorage extends MemoryStorage {
  private commits = 0;

  constructor(private readonly breakage: Breakage) {
    super();
  }

  override commit(batch: Batch): void | Promise<void> {
    this.commits += 1;
    if (this.commits <= (this.breakage.after ?? 0)) return super.commit(batch);
    if (this.breakage.outcome === 'kept') super.commit(batch);
    throw new Error('Input/output error');
  }
}

/** A journal on which no commit succeeds, or only the first few. */
export function failingJournal(options: JournalOptions = {}, breakage: Breakage = {}): BatchingJournal {
  return new BatchingJournal(new BreakingStorage(breakage), options);
}

/** A journal whose disk is full: every append is refused, nothing is fenced. */
export function fullJournal(options: JournalOptions = {}): BatchingJournal {
  const storage = new MemoryStorage();
  storage.shortage = (bytes) => ({ path: '/', freeBytes: 0, neededBytes: bytes });
  return new BatchingJournal(storage, options);
}
