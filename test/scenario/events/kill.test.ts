import { runScript } from '../../support/child.js';
import { assert, suite } from '../../support/harness.js';
import { freshDirectory, openJournal } from '../../support/lmdb-journals.js';
import { assertRecovered, said } from '../../support/oracle.js';

const test = suite('a killed owner');
const ROUNDS = 20;

test('after any number of SIGKILLs under load nothing acknowledged is lost and nothing is recorded twice', async () => {
  const directory = freshDirectory();
  const everything: string[] = [];
  let longer = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    // A varied number of lines stands for a random moment, and makes a failing round easy to repeat.
    const killAfterLines = 3 + ((round * 37) % 300);
    const end = await runScript('append-child', [directory, '16', '1000000', '5'], { killAfterLines });
    assert.is(end.signal, 'SIGKILL', end.stderr);
    everything.push(...end.lines);
    const journal = await openJournal(directory, { indexTail: 64 });
    const now = said(everything);
    assertRecovered(journal, now);
    if (journal.head().position > now.acknowledged.size) longer += 1;
    await journal.close();
  }
  assert.ok(longer > 0, 'some kill fell between the commit and the acknowledgement');
}, 240_000);

test.run();
