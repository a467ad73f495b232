import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { exportNdjson, showRecords, tailRecords } from '../../../src/events/inspect/read.js';
import { replayJournal } from '../../../src/events/inspect/replay.js';
import { salvageJournal } from '../../../src/events/inspect/salvage.js';
import { verificationLine, verifyJournal } from '../../../src/events/inspect/verify.js';
import { OwnerState } from '../../../src/projections/owner-state.js';
import { assert, suite } from '../../support/harness.js';
import { contents, copyOf, fill, filledDirectory, freshDirectory, openJournal } from '../../support/lmdb-journals.js';
import { appendTo, SAMPLE_CATALOGUE as catalogue, counted } from '../../support/sample-events.js';
import { tallyKind } from '../../support/tally.js';

const test = suite('inspecting a journal');

test('tail answers the last records, show those of a position, a stream or an operation', async () => {
  const directory = await filledDirectory(40);
  const tail = await tailRecords(directory, 3);
  assert.equal(isRight(tail) && tail.right.map(({ position }) => position), [38, 39, 40]);
  const one = await showRecords(directory, { position: 7 });
  assert.equal(isRight(one) && one.right.map(({ operationId }) => operationId), ['operation-6']);
  const stream = await showRecords(directory, { stream: 'stream-2' });
  assert.equal(isRight(stream) && stream.right.map(({ revision }) => revision), [1, 2, 3, 4, 5, 6, 7, 8]);
  const operation = await showRecords(directory, { operationId: 'operation-11' });
  assert.equal(isRight(operation) && operation.right.map(({ position }) => position), [12]);
  for (const which of [{ position: 41 }, { stream: 'nobody' }, { operationId: 'never' }])
    assert.equal(await showRecords(directory, which), { _tag: 'Right', right: [] });
});

test('export writes every record as its bytes were stored, one a line', async () => {
  const directory = await filledDirectory(40);
  const journal = await openJournal(directory);
  const stored = [...journal.readRaw({ from: 1 })].flat().map(({ bytes }) => Buffer.from(bytes).toString('utf8'));
  await journal.close();
  let out = '';
  const written = await exportNdjson(directory, (chunk) => {
    out += Buffer.from(chunk).toString('utf8');
  });
  assert.equal(written, { _tag: 'Right', right: 40 });
  assert.is(out, stored.map((line) => `${line}\n`).join(''));
  const part = await exportNdjson(directory, () => {}, { from: 5, to: 8 });
  assert.equal(part, { _tag: 'Right', right: 4 });
});

test('inspecting changes nothing, makes nothing, and works beside a running owner', async () => {
  const directory = await filledDirectory(10);
  const before = contents(directory);
  await tailRecords(directory, 5);
  await verifyJournal(directory);
  assert.is(contents(directory), before);
  const nowhere = freshDirectory();
  assert.ok(isLeft(await tailRecords(nowhere, 1)));
  const none = await verifyJournal(nowhere);
  assert.ok(!none.ok && /no journal/.test(none.reason), verificationLine(none));
  const journal = await openJournal(directory);
  await fill(journal, 5);
  const beside = await verifyJournal(directory);
  assert.ok(beside.ok && beside.events === 15, verificationLine(beside));
  await fill(journal, 5);
  await journal.close();
});

test('replay says whether snapshot and tail give the state of the whole journal, and where they differ first', async () => {
  const directory = freshDirectory();
  const journal = await openJournal(directory);
  const newState = () => new OwnerState([tallyKind]);
  const add = async (count: number) => {
    for (let n = 0; n < count; n += 1)
      journal.append(appendTo('tally-a', journal.streamRevision('tally-a'), [counted(n + 1)]));
    await journal.barrier();
  };
  await add(10);
  const state = newState();
  for (const slice of journal.read({ from: 1 })) for (const event of slice) state.apply(event);
  await journal.saveSnapshot({ ...journal.head(), format: 1, state: Buffer.from(JSON.stringify(state)) });
  await add(5);
  const good = await replayJournal(directory, newState, 1, { catalogue });
  assert.ok(isRight(good) && good.right.snapshot?.equal === true && good.right.snapshot.position === 10);
  const ignored = await replayJournal(directory, newState, 2, { catalogue });
  assert.ok(isRight(ignored) && ignored.right.snapshot === undefined);
  assert.is(isRight(ignored) && ignored.right.stateDigest, isRight(good) && good.right.stateDigest);
  const wrong = Buffer.from('{"tally":[["a",{"total":1,"events":10}]]}');
  const { position, hash } = { position: 10, hash: journal.record(10)?.hash ?? '' };
  await journal.saveSnapshot({ position, hash, format: 1, state: wrong });
  const bad = await replayJournal(directory, newState, 1, { catalogue });
  assert.ok(isRight(bad) && bad.right.snapshot?.equal === false);
  assert.match(isRight(bad) ? (bad.right.snapshot?.firstDifference ?? '') : '', '/tally/0/1/total');
  await journal.close();
});

test('salvage goes on with an intact log that does not reach its anchor, and says how much is lost', async () => {
  const directory = await filledDirectory(20);
  const older = copyOf(directory);
  const journal = await openJournal(directory);
  await fill(journal, 10);
  await journal.close();
  copyFileSync(join(older, 'data.mdb'), join(directory, 'data.mdb'));
  const done = await salvageJournal(directory);
  assert.ok(done.anchored && done.lost === 10 && done.verification.ok && done.verification.events === 20);
  const again = await openJournal(directory);
  assert.is(again.head().position, 20);
  await again.close();
  writeFileSync(join(directory, 'anchor.json'), 'not an anchor');
  assert.ok((await salvageJournal(directory)).anchored);
  rmSync(join(directory, 'data.mdb'));
  assert.not.ok((await salvageJournal(directory)).anchored);
});

test.run();
