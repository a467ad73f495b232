/** The ledger of launches over a journal: durable before it resolves, refused when it is not, found again by replay. */

import type { Clock } from '../../../src/commands/ports.js';
import { ProcessLedger } from '../../../src/commands/process-ledger.js';
import { Store } from '../../../src/commands/store.js';
import { isLeft, must } from '../../../src/contract/fp.js';
import { memoryJournal } from '../../../src/events/memory-journal.js';
import { KINDS } from '../../../src/projections/kinds.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('process ledger');
const clock: Clock = { now: () => new Date(0), after: () => () => {} };
const WORLD = { bootId: 'boot', pidNamespace: 'pid:[1]' };
const launch = (incarnation: string) => ({ incarnation, generation: 2, executable: '/p/bin', dataDir: '/d', ...WORLD });

async function fresh() {
  const journal = memoryJournal();
  const ledger = new ProcessLedger(await Store.open(journal, clock, KINDS));
  return { journal, ledger };
}

test('a launch is in the journal before its step resolves, with what recovery needs [RUNTIME-020]', async () => {
  const { journal, ledger } = await fresh();
  must(await ledger.pending('tables', launch('a')), 'pending');
  assert.equal(
    journal.readStream('process-tables').map((event) => event.type),
    ['LaunchPending'],
  );
  assert.equal(ledger.unfinished(), [{ addonId: 'tables', state: 'pending', ...launch('a') }]);
});

test('a second launch beside an unfinished one is refused and not recorded', async () => {
  const { journal, ledger } = await fresh();
  must(await ledger.pending('tables', launch('a')), 'pending');
  assert.ok(isLeft(await ledger.pending('tables', launch('b'))));
  must(await ledger.pending('notes', launch('c')), 'another add-on is not concerned');
  assert.is(journal.head().position, 2);
});

test('replay finds the identity of a started process and forgets an ended one', async () => {
  const { journal, ledger } = await fresh();
  for (const id of ['tables', 'notes']) {
    must(await ledger.pending(id, launch(id)), 'pending');
    must(await ledger.started(id, { incarnation: id, pid: 7, startTime: '9', ...WORLD }), 'started');
    must(await ledger.ready(id, id), 'ready');
  }
  must(await ledger.draining('notes', 'notes'), 'draining');
  must(await ledger.exited('notes', 'notes', { code: 0, reason: 'stopped' }), 'exited');
  const replayed = new ProcessLedger(await Store.open(journal, clock, KINDS));
  assert.equal(replayed.unfinished(), [
    { addonId: 'tables', state: 'ready', ...launch('tables'), pid: 7, startTime: '9' },
  ]);
});

test('a very long reason is cut, not refused', async () => {
  const { ledger } = await fresh();
  must(await ledger.pending('tables', launch('a')), 'pending');
  must(await ledger.uncertain('tables', 'a', 'x'.repeat(5_000)), 'uncertain');
  must(await ledger.exited('tables', 'a', { reason: 'y'.repeat(5_000) }), 'exited');
});

test('a step on a fenced journal is refused', async () => {
  const { journal, ledger } = await fresh();
  journal.fence('a test');
  assert.ok(isLeft(await ledger.pending('tables', launch('a'))));
});

test.run();
