/** Readers of a journal whose owner goes on: they take nothing from it, and it takes nothing from them. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLeft, isRight, right } from '../../../src/contract/fp.js';
import { kept } from '../../../src/events/inspect/kept.js';
import { tailRecords } from '../../../src/events/inspect/read.js';
import { guardJournal, verificationLine, verifyJournal } from '../../../src/events/inspect/verify.js';
import { dataFile, lockFile } from '../../../src/events/lmdb/layout.js';
import { newestTransaction } from '../../../src/events/lmdb/transactions.js';
import { runScript } from '../../support/child.js';
import { assert, suite } from '../../support/harness.js';
import { fill, filledDirectory, openJournal } from '../../support/lmdb-journals.js';
import { appendTo, counted } from '../../support/sample-events.js';

const test = suite('reading beside the owner');
const READING_MS = 4_000;

/** Where the lock file counts transactions: the one word that follows a commit. */
async function countOffset(directory: string, commit: () => Promise<void>): Promise<number> {
  const before = readFileSync(lockFile(directory));
  const was = newestTransaction(dataFile(directory));
  await commit();
  const after = readFileSync(lockFile(directory));
  const now = newestTransaction(dataFile(directory));
  const words = Array.from({ length: before.length / 8 }, (_, word) => word * 8);
  const counts = words.filter((at) => before.readBigUInt64LE(at) === was && after.readBigUInt64LE(at) === now);
  assert.ok(counts.length > 0, 'the lock file counts transactions');
  return counts[0] as number;
}

test('reading does not touch the lock file, through which the owner would drop what it acknowledged', async () => {
  const directory = await filledDirectory(40);
  const journal = await openJournal(directory);
  await fill(journal, 3);
  await sleep(20);
  const before = readFileSync(lockFile(directory));
  assert.equal((await runScript('reading-child', [directory, '100'])).code, 0);
  const verified = await verifyJournal(directory);
  assert.ok(verified.ok, verificationLine(verified));
  assert.ok(readFileSync(lockFile(directory)).equals(before));
  await journal.close();
});

for (const back of [1, 2])
  test(`a count of transactions that was set back by ${back} ends the owner before it drops anything`, async () => {
    const directory = await filledDirectory(8);
    const journal = await openJournal(directory);
    const at = await countOffset(directory, () => fill(journal, 1));
    await fill(journal, 4);
    const head = journal.head();
    const word = Buffer.alloc(8);
    word.writeBigUInt64LE(newestTransaction(dataFile(directory)) - BigInt(back));
    const lock = openSync(lockFile(directory), 'r+');
    writeSync(lock, word, 0, 8, at);
    closeSync(lock);
    const next = journal.append(appendTo('after', 0, [counted(1)]));
    const outcome = isLeft(next) ? next : await next.right.durable;
    assert.ok(isLeft(outcome), 'the commit is refused');
    assert.match(journal.fenced() ?? '', /another process changed the journal or its lock file/);
    await journal.close();
    const again = await openJournal(directory);
    assert.equal(again.head(), head);
    const verified = await verifyJournal(directory);
    assert.ok(verified.ok && verified.events === head.position, verificationLine(verified));
    await again.close();
  });

test('what is held stays readable however much the owner writes, and is let go once', async () => {
  const directory = await filledDirectory(40);
  const journal = await openJournal(directory);
  const release = journal.hold();
  let ended = false;
  const reading = runScript('snapshot-child', [directory, '40', '1500']).finally(() => {
    ended = true;
  });
  while (!ended) await fill(journal, 5);
  const { lines, stderr } = await reading;
  assert.equal(lines, ['open', 'same'], stderr);
  assert.ok(journal.head().position > 100);
  release();
  release();
  await journal.close();
});

test('a reading during which an owner came or went is not answered', async () => {
  const directory = await filledDirectory(10);
  const moved = await kept(directory, undefined, async () => {
    const journal = await openJournal(directory);
    await fill(journal, 1);
    await journal.close();
  });
  assert.ok(isLeft(moved) && moved.left.code === 'moved', JSON.stringify(moved));
  const gone = async () => right(async () => false);
  const lost = await verifyJournal(directory, { hold: gone });
  assert.ok(!lost.ok && lost.inconclusive === true && /Run it again/.test(lost.reason), verificationLine(lost));
  assert.ok(isRight(await kept(directory, undefined, () => 'nothing was written')));
});

test('a temporary folder that is not there ends a reading and says nothing of the journal', async () => {
  const directory = await filledDirectory(10);
  const journal = await openJournal(directory);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = `${directory}/nowhere`;
  try {
    const tail = await tailRecords(directory, 3);
    assert.ok(isLeft(tail) && tail.left.code === 'no-view' && /nowhere/.test(tail.left.message), JSON.stringify(tail));
    const found = await guardJournal(directory, journal);
    assert.ok(!found.ok && found.inconclusive === true && /nowhere/.test(found.reason), verificationLine(found));
    assert.is(journal.fenced(), undefined);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  await journal.close();
});

test('an owner keeps every event while readers come and go in processes of their own', async () => {
  const directory = await filledDirectory(10);
  const journal = await openJournal(directory);
  const release = journal.hold();
  const reading = Promise.all([1, 2].map(() => runScript('reading-child', [directory, String(READING_MS)])));
  let ended = false;
  const readers = reading.finally(() => {
    ended = true;
  });
  while (!ended) {
    await fill(journal, 8);
    await new Promise((resume) => setImmediate(resume));
  }
  release();
  for (const { lines, stderr } of await readers) assert.match(lines.join(), /^read [1-9]/, stderr);
  assert.is(journal.fenced(), undefined);
  const verified = await guardJournal(directory, journal);
  assert.ok(verified.ok && verified.events === journal.head().position, verificationLine(verified));
  await journal.close();
}, 60_000);

test.run();
