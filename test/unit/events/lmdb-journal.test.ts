import { join } from 'node:path';
import { isLeft } from '../../../src/contract/fp.js';
import type { Journal } from '../../../src/events/journal.js';
import { openLmdbJournal } from '../../../src/events/lmdb/open.js';
import { journalContract } from '../../support/journal-contract.js';
import { SAMPLE_CATALOGUE as catalogue } from '../../support/sample-events.js';
import { tempDir } from '../../support/temp-dir.js';

const places = new Map<Journal, string>();

async function openIn(directory: string, indexTail: number): Promise<Journal> {
  const opened = await openLmdbJournal(directory, { catalogue, indexTail });
  if (isLeft(opened)) throw new Error(opened.left.message);
  places.set(opened.right, directory);
  return opened.right;
}

const adapter = (name: string, indexTail: number) => ({
  name,
  open: () => openIn(join(tempDir('journal'), 'journal'), indexTail),
  reopen: async (journal: Journal) => {
    await journal.close();
    return openIn(places.get(journal) ?? '', indexTail);
  },
  dispose: (journal: Journal) => journal.close(),
});

journalContract(adapter('LMDB', 8_192));
journalContract(adapter('LMDB, index in small buckets', 3));
