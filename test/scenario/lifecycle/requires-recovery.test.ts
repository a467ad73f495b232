/** An owner whose publication failed says of nothing that it worked, until a new owner settled the journal (07:98-103). */
import { isLeft } from '../../../src/contract/fp.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { reconcileLifecycle, startEnabled } from '../../../src/recovery/reconcile-lifecycle.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { codeOf, must, type World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle, requires recovery');
const INSTALL = { addonId: 'other', operationId: 'op-9', args: { sourceId: 'lib', version: '1.0.0' } };

/** A running add-on, and an operation whose n-th commit fails; the runtime of that owner is then closed. */
async function broken(world: World, commit: number): Promise<void> {
  await world.install('op-1');
  await world.act('enable', 'op-2');
  assert.is(world.runtimes.running.size, 1);
  world.storage.survive();
  world.storage.plan = { at: commit, how: 'fail' };
  assert.is(codeOf(await world.dispatch('install', INSTALL)), 'outcome_unknown');
  assert.ok(!isLeft(await world.runtimes.shutdown()));
}

test('after a publication that failed neither a status, nor a submission, nor a reconciliation reports success [RUNTIME-058]', async () => {
  for (const commit of [1, 2, 3, 4])
    await inWorld(async (world) => {
      await broken(world, commit);
      const started = world.runtimes.calls.length;
      assert.not.equal(await world.status('op-9'), 'completed', `commit ${commit}`);
      assert.is(codeOf(await world.dispatch('install', INSTALL)) === 'right', false, `commit ${commit}`);
      assert.is(await world.act('enable', 'op-10'), 'fenced');
      assert.is(await world.act('disable', 'op-11'), 'fenced');
      // An operation that completed before is a durable fact; its process is not, and is not taken for running.
      assert.not.equal(codeOf(await world.dispatch('enable', { addonId: 'demo', operationId: 'op-2' })), 'right');
      assert.ok(isLeft(await reconcileLifecycle(world.lifecycle)), `commit ${commit}`);
      await startEnabled(world.lifecycle);
      assert.equal(world.runtimes.calls.slice(started), [], 'nothing was started');
    })();
});

test('a new owner settles the durable journal: the operation has an end, and what is enabled runs [RUNTIME-059]', async () => {
  for (const commit of [1, 2, 3, 4])
    await inWorld(async (world) => {
      await broken(world, commit);
      must(await world.boot());
      const state = await world.status('op-9');
      assert.ok(['not_found', 'failed', 'completed'].includes(state), `commit ${commit}: ${state}`);
      assert.is(findInstalled(world.store.visible, 'other') !== undefined, state === 'completed');
      await startEnabled(world.lifecycle);
      assert.equal([...world.runtimes.running.keys()], ['demo']);
      const again = codeOf(await world.dispatch('install', { ...INSTALL, operationId: 'op-12' }));
      assert.is(again, state === 'completed' ? 'denied' : 'right', `commit ${commit}`);
    })();
});

test.run();
