import { isRight } from '../../../src/contract/fp.js';
import { memoryJournal } from '../../../src/events/memory-journal.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('memory journal');
test('an append is visible only once it is durable', async () => {
  const journal = memoryJournal();
  const payload = { ownerId: 'o', storageId: 's', mode: 'local-owner', build: '0', epoch: 1 };
  const appended = journal.append({
    writes: [{ stream: 'owner', expectedRevision: 0, events: [{ type: 'OwnerEpochStarted', payload }] }],
    meta: { at: '2026-11-30T00:00:00.000Z' },
  });
  assert.ok(isRight(appended));
  assert.is(journal.head().position, 0);
  assert.is(journal.streamRevision('owner'), 1);
  assert.ok(isRight(await journal.barrier()));
  assert.is(journal.head().position, 1);
  assert.equal(journal.readStream('owner')[0]?.payload, payload);
});
test.run();
