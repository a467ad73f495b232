import { join } from 'node:path';
import { isLeft } from '../../../src/contract/fp.js';
import type { Journal } from '../../../src/events/journal.js';
import { openLmdbJournal } from '../../../src/events/lmdb/open.js';
import { journalContract } from '../../support/journal-contract.js';
import { SAMPLE_CATALOGUE as catalogue } from '../../support/sample-events.js';
import { tempDir } from '../../support/temp-dir.js';

const places = new Map<Journal, string>();

async function openIn(directory: string): Promise<Journal> {
  const opened = await openLmdbJournal(directory, { catalogue });
  if (isLeft(opened)) throw new Error(opened.left.message);
  places.set(opened.right, directory);
  return opened.right;
}

journalContract({
  name: 'LMDB',
  open: () => openIn(join(tempDir('journal'), 'journal')),
  reopen: async (journal) => {
    await journal.close();
    return openIn(places.get(journal) ?? '');
  },
  dispose: (journal) => journal.close(),
});
