import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isLeft } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';
import {
  contents,
  copyOf,
  fill,
  filledDirectory,
  freshDirectory,
  openJournal,
  refusedOpen,
} from '../../support/lmdb-journals.js';
import { appendTo, counted } from '../../support/sample-events.js';

const test = suite('opening an LMDB journal');
const data = (directory: string) => join(directory, 'data.mdb');
const anchor = (directory: string) => join(directory, 'anchor.json');

/** Opens what was damaged, and holds that nothing in the directory changed by trying. */
async function refusedUntouched(directory: string) {
  const before = contents(directory);
  const refusal = await refusedOpen(directory);
  assert.is(contents(directory), before, 'opening changed nothing');
  assert.match(refusal.message, refusal.file);
  return refusal;
}

test('the directory is 0700 and every file 0600', async () => {
  const directory = freshDirectory();
  const journal = await openJournal(directory);
  await fill(journal, 3);
  await journal.saveSnapshot({ ...journal.head(), format: 1, state: Buffer.from('{}') });
  await journal.close();
  assert.is(statSync(directory).mode & 0o777, 0o700);
  assert.equal(readdirSync(directory).sort(), ['anchor.json', 'data.mdb', 'lock.mdb', 'snapshot']);
  for (const name of readdirSync(directory)) assert.is(statSync(join(directory, name)).mode & 0o777, 0o600, name);
});

test('an emptied or removed database is refused with the position that must be there', async () => {
  const directory = await filledDirectory(20);
  const emptied = copyOf(directory);
  truncateSync(data(emptied), 0);
  const refusal = await refusedUntouched(emptied);
  assert.equal([refusal.code, refusal.expected, refusal.found], ['emptied', 20, 0]);
  assert.match(refusal.message, 'castellan journal verify');
  rmSync(data(directory));
  assert.is((await refusedUntouched(directory)).code, 'emptied');
});

test('an older copy put back is refused with both positions', async () => {
  const directory = await filledDirectory(20);
  const older = copyOf(directory);
  const journal = await openJournal(directory);
  await fill(journal, 10);
  await journal.close();
  copyFileSync(data(older), data(directory));
  const refusal = await refusedUntouched(directory);
  assert.equal([refusal.code, refusal.expected, refusal.found], ['shortened', 30, 20]);
});

test('another journal in its place is refused, even a longer one', async () => {
  const directory = await filledDirectory(20);
  const other = await filledDirectory(40);
  copyFileSync(data(other), data(directory));
  assert.is((await refusedUntouched(directory)).code, 'other-history');
});

test('a missing or damaged anchor is refused while the log holds events', async () => {
  const directory = await filledDirectory(5);
  const without = copyOf(directory);
  rmSync(anchor(without));
  assert.is((await refusedUntouched(without)).code, 'anchor-missing');
  writeFileSync(anchor(directory), '{"position":');
  assert.is((await refusedUntouched(directory)).code, 'anchor-damaged');
});

test('a file that is no database, or lost its end, is refused instead of crashing the process', async () => {
  const directory = await filledDirectory(50);
  const text = copyOf(directory);
  writeFileSync(data(text), 'this is not a database at all');
  assert.is((await refusedUntouched(text)).code, 'damaged');
  const cut = copyOf(directory);
  truncateSync(data(cut), 8192);
  assert.is((await refusedUntouched(cut)).code, 'damaged');
  const page = readFileSync(data(directory));
  writeFileSync(data(directory), page.fill(0, 4096, 8192));
  assert.is((await refusedUntouched(directory)).code, 'damaged');
});

test('a start that did not get past the tail makes the next one ask a child first', async () => {
  const directory = await filledDirectory(50);
  const good = copyOf(directory);
  writeFileSync(join(good, 'opening'), '');
  const journal = await openJournal(good);
  assert.is(journal.head().position, 50);
  await journal.close();
  const bytes = readFileSync(data(directory));
  // Every page but the two meta pages: whatever LMDB reads first, it reads zeros.
  writeFileSync(data(directory), bytes.fill(0, 8192));
  writeFileSync(join(directory, 'opening'), '');
  const refusal = await refusedUntouched(directory);
  assert.is(refusal.code, 'damaged');
  assert.match(refusal.message, /SIG|MDB_/);
});

test('a flipped byte in the tail is refused by position', async () => {
  const directory = await filledDirectory(20);
  const bytes = readFileSync(data(directory));
  for (let at = bytes.indexOf('text 18 '); at >= 0; at = bytes.indexOf('text 18 ', at + 1)) bytes[at] = 0x54;
  writeFileSync(data(directory), bytes);
  const refusal = await refusedUntouched(directory);
  assert.equal([refusal.code, refusal.found], ['damaged', 19]);
});

test('a link in the place of the directory or the database is refused', async () => {
  const directory = await filledDirectory(5);
  const link = freshDirectory();
  symlinkSync(directory, link);
  assert.is((await refusedOpen(link)).code, 'not-a-directory');
  const linked = freshDirectory();
  mkdirSync(linked);
  copyFileSync(anchor(directory), anchor(linked));
  symlinkSync(data(directory), data(linked));
  assert.is((await refusedOpen(linked)).code, 'damaged');
});

test('a second open of the same directory in one process is refused until the first is closed', async () => {
  const directory = freshDirectory();
  const journal = await openJournal(directory);
  assert.is((await refusedOpen(directory)).code, 'already-open');
  await journal.close();
  await (await openJournal(directory)).close();
});

/** The first creation as a power cut leaves it: some of the two meta pages, any length, and the anchor before it. */
const TORN: Record<string, (whole: Buffer) => Buffer> = {
  'nothing written': () => Buffer.alloc(0),
  'a first page of zeros': (whole) => Buffer.from(whole).fill(0, 0, 4096),
  'a second page of zeros': (whole) => Buffer.from(whole).fill(0, 4096, 8192),
  'two pages of zeros': () => Buffer.alloc(8192),
  'half of the first page': (whole) => whole.subarray(0, 100),
  'the first page alone': (whole) => whole.subarray(0, 4096),
  'half of the second page': (whole) => whole.subarray(0, 4096 + 100),
  'roots behind the end': (whole) => whole.subarray(0, 8192),
};
const anchorText = (extra: object = {}) => JSON.stringify({ hash: '0'.repeat(64), position: 0, ...extra });

async function torn(tear: (whole: Buffer) => Buffer, anchored: string): Promise<string> {
  const directory = freshDirectory();
  await (await openJournal(directory)).close();
  writeFileSync(data(directory), tear(readFileSync(data(directory))));
  writeFileSync(anchor(directory), anchored);
  return directory;
}

test('a first creation that a power cut tore in any way is made anew, and what is recorded then is kept', async () => {
  for (const [how, tear] of Object.entries(TORN)) {
    const directory = await torn(tear, anchorText({ creating: true }));
    const journal = await openJournal(directory);
    await fill(journal, 3);
    await journal.close();
    const again = await openJournal(directory);
    assert.is(again.head().position, 3, how);
    await again.close();
  }
});

test('the same torn files are refused untouched once the journal was handed out, since the anchor lags', async () => {
  for (const [how, tear] of Object.entries(TORN)) {
    const directory = await torn(tear, anchorText());
    assert.match((await refusedUntouched(directory)).code, /^(damaged|emptied)$/, how);
  }
});

test('the proof that nothing was recorded stands until the database is durable and is gone before the first event', async () => {
  const directory = freshDirectory();
  mkdirSync(directory);
  // The creation fails after the anchor was written: the name of the database is taken by a folder.
  mkdirSync(data(directory));
  assert.is((await refusedOpen(directory)).code, 'damaged');
  writeFileSync(anchor(directory), anchorText({ creating: true }));
  assert.is((await refusedOpen(directory)).code, 'damaged', 'a folder was not left by a power cut');
  rmSync(data(directory), { recursive: true });
  const journal = await openJournal(directory, { anchorEveryMs: 60_000 });
  assert.is(readFileSync(anchor(directory), 'utf8').trim(), anchorText());
  await fill(journal, 1);
  await journal.close();
});

test('a torn file that is too long for a first creation is refused, and so is such a proof with a position', async () => {
  const long = await torn(() => Buffer.alloc(1_048_576, 1), anchorText({ creating: true }));
  assert.is((await refusedUntouched(long)).code, 'damaged');
  const lied = await torn(() => Buffer.alloc(8192), anchorText({ creating: true, position: 4 }));
  assert.is((await refusedUntouched(lied)).code, 'anchor-damaged');
});

test('a start that ended between the durable database and its anchor is taken up', async () => {
  const directory = await torn((whole) => whole, anchorText({ creating: true }));
  const journal = await openJournal(directory, { anchorEveryMs: 60_000 });
  assert.is(readFileSync(anchor(directory), 'utf8').trim(), anchorText());
  await journal.close();
});

test('an almost full disk refuses an append with the bytes, and does not fence', async () => {
  let free = 10_000_000_000;
  const directory = freshDirectory();
  const journal = await openJournal(directory, { freeBytes: () => free, reserveBytes: 1_000_000 });
  await fill(journal, 1);
  free = 1_000_000;
  await new Promise((resolve) => setTimeout(resolve, 120));
  const refused = journal.append(appendTo('s', 0, [counted(1)]));
  assert.ok(isLeft(refused) && refused.left.kind === 'full' && refused.left.freeBytes === 1_000_000);
  assert.is(journal.fenced(), undefined);
  free = 10_000_000_000;
  await fill(journal, 1);
  await journal.close();
});

test('the anchor follows the head within its interval, and at the close', async () => {
  const directory = freshDirectory();
  const journal = await openJournal(directory, { anchorEveryMs: 50 });
  const anchored = () => (JSON.parse(readFileSync(anchor(directory), 'utf8')) as { position: number }).position;
  assert.is(anchored(), 0);
  await fill(journal, 10);
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.is(anchored(), 10);
  await fill(journal, 1);
  await journal.close();
  assert.is(anchored(), 11);
});

test.run();
