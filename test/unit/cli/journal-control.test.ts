import { setTimeout as sleep } from 'node:timers/promises';
import { journalControl } from '../../../src/cli/journal-control.js';
import { isLeft } from '../../../src/contract/fp.js';
import type { Json, JsonObject } from '../../../src/contract/json.js';
import { memoryJournal } from '../../../src/events/memory-journal.js';
import { OwnerState } from '../../../src/projections/owner-state.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('what the command line asks of a journal');

/** Commands over a journal that counts what is held of it. */
function counted(holdMs?: number) {
  const journal = memoryJournal();
  let held = 0;
  journal.hold = () => {
    held += 1;
    return () => {
      held -= 1;
    };
  };
  const commands = journalControl({ journal, visible: new OwnerState([]) }, holdMs);
  const ask = async (name: string, args: JsonObject = {}) => {
    const answer = await commands[name]?.(args);
    assert.ok(answer !== undefined);
    return isLeft(answer) ? answer.left.refusal : answer.right;
  };
  return { ask, held: () => held };
}

test('a reading is held until it is released, and the answer says whether it still was', async () => {
  const { ask, held } = counted();
  const id = (await ask('journal.hold')) as { readonly id: string };
  assert.is(held(), 1);
  assert.equal(await ask('journal.release', id), { held: true } as Json);
  assert.is(held(), 0);
  assert.equal(await ask('journal.release', id), { held: false } as Json);
  assert.is(await ask('journal.release', { id: 7 }), 'invalid_request');
});

test('a reading that says that it goes on is held longer', async () => {
  const { ask, held } = counted(300);
  const id = (await ask('journal.hold')) as { readonly id: string };
  for (let n = 0; n < 4; n += 1) {
    await sleep(150);
    assert.equal(await ask('journal.renew', id), { held: true } as Json);
  }
  assert.is(held(), 1);
  await sleep(500);
  assert.is(held(), 0);
  assert.equal(await ask('journal.renew', id), { held: false } as Json);
});

test('a reader that went away is forgotten, and a seventeenth is refused until one ends', async () => {
  const { ask, held } = counted(60);
  const first = (await ask('journal.hold')) as { readonly id: string };
  for (let n = 1; n < 16; n += 1) await ask('journal.hold');
  assert.is(await ask('journal.hold'), 'busy');
  assert.is(held(), 16);
  await sleep(150);
  assert.is(held(), 0);
  assert.equal(await ask('journal.release', first), { held: false } as Json);
  assert.type(await ask('journal.hold'), 'object');
});

test.run();
