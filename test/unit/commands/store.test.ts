import fc from 'fast-check';
import { SNAPSHOT_FORMAT, Store } from '../../../src/commands/store.js';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import type { Journal } from '../../../src/events/journal.js';
import { memoryJournal } from '../../../src/events/memory-journal.js';
import { failingJournal, fullJournal } from '../../support/failing-journal.js';
import { assert, suite } from '../../support/harness.js';
import { AT, SAMPLE_CATALOGUE as catalogue } from '../../support/sample-events.js';
import { tallyKind } from '../../support/tally.js';

const test = suite('the store');
const clock = { now: () => new Date(AT), after: () => () => {} };
const open = (journal: Journal) => Store.open(journal, clock, [tallyKind]);

async function add(store: Store, id: string, amount: number, operationId?: string) {
  const change = store.decide(tallyKind, id, amount);
  if (isLeft(change)) return change;
  return store.commit({ changes: [change.right] }, operationId === undefined ? {} : { operationId });
}

test('a decision is seen by the next decision at once, and by readers only when it is durable', async () => {
  const store = await open(memoryJournal({ catalogue }));
  const pending = add(store, 'a', 5);
  assert.is(store.ahead.get(tallyKind, 'a').total, 5);
  assert.is(store.visible.get(tallyKind, 'a').total, 0);
  assert.ok(isRight(store.decide(tallyKind, 'a', -5)));
  assert.ok(isRight(await pending));
  assert.is(store.visible.get(tallyKind, 'a').total, 5);
});

test('of two commands that both fit alone, the second is decided on the first though neither is durable', async () => {
  const store = await open(memoryJournal({ catalogue }));
  await add(store, 'a', 5);
  const [first, second] = await Promise.all([add(store, 'a', -4), add(store, 'a', -4)]);
  assert.ok(isRight(first) && isLeft(second));
  assert.is(store.visible.get(tallyKind, 'a').total, 1);
});

test('a decision that changes nothing resolves only when what it was read from is durable', async () => {
  const journal = memoryJournal({ catalogue });
  const store = await open(journal);
  const pending = add(store, 'a', 5);
  assert.ok(isRight(await add(store, 'a', 0)));
  assert.is(journal.head().position, 1);
  assert.ok(isRight(await pending));
});

test('one decision may change a stream twice, and several streams together', async () => {
  const store = await open(memoryJournal({ catalogue }));
  const change = (id: string, amount: number) => ({
    stream: `tally-${id}`,
    events: [{ type: 'Counted', payload: { amount, unit: 'kg' } }],
  });
  assert.ok(isRight(await store.commit({ changes: [change('a', 1), change('b', 2), change('a', 3)] })));
  assert.equal(store.visible.get(tallyKind, 'a'), { total: 4, events: 2 });
  assert.is(store.visible.get(tallyKind, 'b').total, 2);
});

test('a decision kept until another one was made on the same stream is a fault, and changes nothing', async () => {
  const store = await open(memoryJournal({ catalogue }));
  await add(store, 'a', 5);
  const kept = store.decide(tallyKind, 'a', -4);
  if (isLeft(kept)) throw new Error('decided wrongly');
  await add(store, 'a', -4);
  let fault = '';
  await store.commit({ changes: [kept.right] }).catch((error: Error) => {
    fault = error.message;
  });
  assert.match(fault, /conflict/);
  assert.is(store.visible.get(tallyKind, 'a').total, 1);
});

test('a failed commit answers outcome_unknown with the operation, shows nothing, and everything later is fenced [LIFECYCLE-032]', async () => {
  const store = await open(failingJournal({ catalogue }, { after: 1 }));
  await add(store, 'a', 1);
  const failed = await add(store, 'a', 5, 'op-1');
  assert.ok(isLeft(failed) && failed.left.refusal === 'outcome_unknown' && failed.left.detail?.operationId === 'op-1');
  assert.is(store.visible.get(tallyKind, 'a').total, 1);
  const later = await add(store, 'b', 1);
  assert.ok(isLeft(later) && later.left.refusal === 'fenced');
  assert.ok(isLeft(await store.settled('op-1')));
});

test('a full disk refuses with insufficient_storage, changes nothing and does not fence', async () => {
  const journal = fullJournal({ catalogue });
  const store = await open(journal);
  const refused = await add(store, 'a', 5);
  assert.ok(isLeft(refused) && refused.left.refusal === 'insufficient_storage');
  assert.is(store.ahead.get(tallyKind, 'a').total, 0);
  assert.is(journal.fenced(), undefined);
});

test('a payload the catalogue refuses is a fault, and nothing of it was decided', async () => {
  const store = await open(memoryJournal({ catalogue }));
  const events = [{ type: 'Counted', payload: { amount: 'much', unit: 'kg' } }];
  let fault: unknown;
  await store.commit({ changes: [{ stream: 'tally-a', events }] }).catch((error: unknown) => {
    fault = error;
  });
  assert.ok(fault instanceof Error);
  assert.is(store.ahead.get(tallyKind, 'a').events, 0);
});

test('an event that cannot be applied fences, since every later decision would stand on a wrong state', async () => {
  const journal = memoryJournal({ catalogue });
  const store = await open(journal);
  const events = [{ type: 'Counted', payload: { amount: 1, unit: 'broken' } }];
  await store.commit({ changes: [{ stream: 'tally-a', events }] }).catch(() => {});
  assert.match(journal.fenced() ?? '', 'could not be applied');
});

const history = fc.array(fc.tuple(fc.constantFrom('7', '12', 'b', '__proto__'), fc.integer({ min: -5, max: 9 })), {
  maxLength: 40,
});

test('snapshot and tail give the state that the whole journal gives, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), async (amounts, at) => {
      const journal = memoryJournal({ catalogue });
      const store = await open(journal);
      for (const [index, [id, amount]] of amounts.entries()) {
        if (index === at % (amounts.length + 1)) await store.snapshot();
        await add(store, id, amount);
      }
      const resumed = await open(journal);
      await journal.saveSnapshot({ ...journal.head(), format: SNAPSHOT_FORMAT - 1, state: Buffer.from('{') });
      const whole = await open(journal);
      assert.equal([...resumed.visible.all(tallyKind)], [...whole.visible.all(tallyKind)]);
      assert.equal([...whole.visible.all(tallyKind)], [...store.visible.all(tallyKind)]);
      assert.is(JSON.stringify(whole.ahead), JSON.stringify(store.ahead));
    }),
    { numRuns: 150 },
  );
});

test('a snapshot that cannot be read, or of another format, is ignored and rebuilt', async () => {
  const journal = memoryJournal({ catalogue });
  await add(await open(journal), 'a', 3);
  for (const format of [SNAPSHOT_FORMAT, SNAPSHOT_FORMAT + 1]) {
    await journal.saveSnapshot({ ...journal.head(), format, state: Buffer.from('not JSON') });
    assert.is((await open(journal)).visible.get(tallyKind, 'a').total, 3);
  }
});

test('a snapshot is written when enough was recorded, counting what earlier runs left behind', async () => {
  const journal = memoryJournal({ catalogue });
  const run = async (count: number) => {
    const store = await open(journal);
    const events = Array.from({ length: count }, () => ({ type: 'Counted', payload: { amount: 1, unit: 'kg' } }));
    await store.commit({ changes: [{ stream: 'tally-a', events }] });
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await run(6_000);
  assert.is(journal.loadSnapshot(), undefined);
  await run(6_000);
  assert.is(journal.loadSnapshot()?.position, 12_000);
});

test('a snapshot that cannot be written harms nothing, and two at a time are one', async () => {
  const journal = memoryJournal({ catalogue });
  let saves = 0;
  journal.saveSnapshot = async () => {
    saves += 1;
    throw new Error('no space');
  };
  const store = await open(journal);
  await Promise.all([store.snapshot(), store.snapshot()]);
  assert.is(saves, 1);
  assert.ok(isRight(await add(store, 'a', 1)));
});

test('events carry the clock, the actor and the operation of their command', async () => {
  const journal = memoryJournal({ catalogue });
  const store = await open(journal);
  const actor = { userId: 'u', credentialId: 'c', mode: 'named-user' } as const;
  const change = store.decide(tallyKind, 'a', 1);
  assert.ok(isRight(change));
  await store.commit({ changes: [change.right] }, { actor, operationId: 'op' });
  const { at, actor: who, operationId } = journal.record(1) ?? {};
  assert.equal({ at, who, operationId }, { at: AT, who: actor, operationId: 'op' });
});

test.run();
