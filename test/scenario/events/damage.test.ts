import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRight } from '../../../src/contract/fp.js';
import { exportNdjson } from '../../../src/events/inspect/read.js';
import {
  guardJournal,
  type Verification,
  verificationLine,
  verifyJournal,
} from '../../../src/events/inspect/verify.js';
import { openDatabases } from '../../../src/events/lmdb/layout.js';
import { sealBody } from '../../../src/events/sealed-body.js';
import { assert, suite } from '../../support/harness.js';
import { copyOf, fill, filledDirectory, openJournal } from '../../support/lmdb-journals.js';
import { appendTo, noted } from '../../support/sample-events.js';
import { memoryPlace } from '../../support/temp-dir.js';

const test = suite('damage to the file');
const data = (directory: string) => join(directory, 'data.mdb');
const PAGE = 4096;
const EVENTS = 120;

let whole = '';
let bytes = Buffer.alloc(0);

test.before(async () => {
  whole = await filledDirectory(EVENTS);
  const journal = await openJournal(whole);
  const body = sealBody(Buffer.from('a body beside the log'), new Uint8Array(32).fill(9));
  journal.append(appendTo('bodies', 0, [noted(body.ref)], { bodies: [body] }));
  await journal.close();
  bytes = readFileSync(data(whole));
});

/** Flips the lowest bit `offset` bytes into every place where a text stands in the file. */
function flip(copy: Buffer, text: string, offset: number): void {
  for (let at = copy.indexOf(text); at >= 0; at = copy.indexOf(text, at + 1)) {
    const byte = at + offset;
    copy[byte] = (copy[byte] ?? 0) ^ 1;
  }
}

async function verifyWith(change: (copy: Buffer) => void): Promise<{ result: Verification; directory: string }> {
  const directory = copyOf(whole, memoryPlace());
  const copy = Buffer.from(bytes);
  change(copy);
  writeFileSync(data(directory), copy);
  return { result: await verifyJournal(directory), directory };
}

/** Runs `body` for every step below `end`: each check is a process of its own, so two of them use the time. */
async function twoAtATime(start: number, end: number, step: number, body: (n: number) => Promise<void>): Promise<void> {
  let next = start;
  const lane = async () => {
    for (let n = next; n < end; n = next) {
      next += step;
      await body(n);
    }
  };
  await Promise.all([lane(), lane()]);
}

async function exported(directory: string): Promise<string> {
  const lines: string[] = [];
  const done = await exportNdjson(directory, (chunk) => {
    lines.push(Buffer.from(chunk).toString('utf8'));
  });
  assert.ok(isRight(done));
  return lines.join('');
}

test('an intact journal verifies, and says how many events lead to which head', async () => {
  const result = await verifyJournal(whole);
  assert.ok(result.ok && result.events === EVENTS + 1, verificationLine(result));
  assert.match(verificationLine(result), /^verified 121 events, head [0-9a-f]{64}$/);
});

test('a flipped byte in any record is found, at its own position', async () => {
  await twoAtATime(0, EVENTS, 12, async (n) => {
    const needle = `"operationId":"operation-${n}"`;
    const { result } = await verifyWith((copy) => flip(copy, needle, needle.length - 2));
    assert.ok(!result.ok && result.position === n + 1, `event ${n + 1}: ${verificationLine(result)}`);
  });
}, 120_000);

test('a zeroed page is found, or was not in use', async () => {
  const intact = await exported(whole);
  let found = 0;
  await twoAtATime(2, bytes.length / PAGE, 2, async (page) => {
    const { result, directory } = await verifyWith((copy) => copy.fill(0, page * PAGE, (page + 1) * PAGE));
    if (result.ok) assert.is(await exported(directory), intact, `page ${page} is damaged and was not found`);
    else found += 1;
  });
  assert.ok(found >= 3, `${found} pages were in use`);
}, 240_000);

test('a file cut anywhere is found', async () => {
  for (const part of [0.2, 0.5, 0.8]) {
    const directory = copyOf(whole);
    truncateSync(data(directory), Math.floor((bytes.length * part) / PAGE) * PAGE);
    const result = await verifyJournal(directory);
    assert.not.ok(result.ok, `cut at ${part}`);
  }
}, 120_000);

test('an empty file and an older copy are found', async () => {
  const emptied = copyOf(whole);
  truncateSync(data(emptied), 0);
  const nothing = await verifyJournal(emptied);
  assert.ok(!nothing.ok && nothing.position === 1, verificationLine(nothing));
  const longer = copyOf(whole);
  const journal = await openJournal(longer);
  await fill(journal, 4);
  await journal.close();
  copyFileSync(data(whole), data(longer));
  const older = await verifyJournal(longer);
  assert.ok(!older.ok && older.position === EVENTS + 2, verificationLine(older));
});

test('a damaged body is found though the log is intact', async () => {
  const { result } = await verifyWith((copy) => flip(copy, 'a body beside', 0));
  assert.ok(
    !result.ok && result.position === undefined && /body sha256:/.test(result.reason),
    verificationLine(result),
  );
});

test('a damaged bucket of an index is found', async () => {
  const directory = copyOf(whole);
  const db = openDatabases(directory, false);
  const bucket = Buffer.from(db.operations.get(1) ?? []);
  bucket[0] = (bucket[0] ?? 0) ^ 1;
  db.operations.putSync(1, bucket);
  await db.env.close();
  const result = await verifyJournal(directory);
  assert.ok(!result.ok && /index/.test(result.reason), verificationLine(result));
});

test('a check that was stopped from outside says so and fences nothing', async () => {
  const directory = copyOf(whole);
  const journal = await openJournal(directory);
  const stop = new AbortController();
  const checking = guardJournal(directory, journal, stop.signal);
  stop.abort();
  const result = await checking;
  assert.ok(!result.ok && result.inconclusive === true, verificationLine(result));
  assert.is(journal.fenced(), undefined);
  await journal.close();
});

test('what the verifying child finds fences the running owner with the first bad position', async () => {
  const directory = copyOf(whole);
  const needle = '"operationId":"operation-3"';
  // Far enough from the end that a start, which reads the last records, cannot see it.
  let journal = await openJournal(directory);
  await fill(journal, 300);
  await journal.close();
  const copy = readFileSync(data(directory));
  flip(copy, needle, needle.length - 2);
  writeFileSync(data(directory), copy);
  journal = await openJournal(directory);
  const reasons: string[] = [];
  journal.onFenced((reason) => reasons.push(reason));
  await guardJournal(directory, journal);
  assert.match(reasons[0] ?? '', 'bad at position 4');
  assert.match(journal.fenced() ?? '', 'bad at position 4');
  await journal.close();
});

test.run();
