import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationStatus } from '../../../src/contract/api.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { assert, suite } from '../../support/harness.js';
import { ADMIN, must, testRelease, World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle, main line');

async function withDemo(body: (world: World) => Promise<void>): Promise<void> {
  const world = await World.open();
  try {
    await world.library([testRelease('demo', '1.0.0'), testRelease('demo', '1.1.0')]);
    await body(world);
  } finally {
    world.close();
  }
}

test('an install is recorded as installed, disabled and completed [LIFECYCLE-020]', () =>
  withDemo(async (world) => {
    const status = (await world.install('op-1')) as OperationStatus;
    assert.equal(status, {
      operationId: 'op-1',
      addonId: 'demo',
      action: 'install',
      state: 'completed',
      generation: 1,
      runtimeState: 'not-observed',
    });
    const installed = findInstalled(world.store.visible, 'demo');
    assert.is(installed?.enabled, false);
    assert.is(installed?.version, '1.0.0');
    assert.equal(world.runtimes.calls, []);
  }));

test('enable starts, disable stops, uninstall keeps data, package and generation count [APPS-025] [LIFECYCLE-033] [MANAGE-026]', () =>
  withDemo(async (world) => {
    await world.install('op-1');
    assert.is(((await world.act('enable', 'op-2')) as OperationStatus).state, 'completed');
    assert.is(world.runtimes.running.get('demo')?.generation, 1);
    mkdirSync(join(world.dataRoot, 'demo'), { recursive: true });
    writeFileSync(join(world.dataRoot, 'demo', 'kept.db'), 'x');
    assert.is(((await world.act('disable', 'op-3')) as OperationStatus).state, 'completed');
    assert.is(world.runtimes.running.size, 0);
    assert.is(((await world.act('uninstall', 'op-4')) as OperationStatus).state, 'completed');
    assert.is(findInstalled(world.store.visible, 'demo'), undefined);
    assert.is(world.packages.published.size, 1);
    assert.is(((await world.install('op-5')) as OperationStatus).generation, 2);
  }));

test('upgrade of a running add-on proves the new generation first [RUNTIME-005]', () =>
  withDemo(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    let namedDuringStart = 0;
    world.runtimes.beforeStart = () => {
      namedDuringStart = findInstalled(world.store.ahead, 'demo')?.generation ?? 0;
    };
    const status = (await world.act('upgrade', 'op-3', { sourceId: 'lib', version: '1.1.0' })) as OperationStatus;
    assert.is(status.state, 'completed');
    assert.is(status.generation, 2);
    assert.is(namedDuringStart, 1);
    assert.equal(world.runtimes.calls, ['start demo 1', 'stop demo', 'start demo 2']);
    assert.is(must(await world.lifecycle.apps(ADMIN))[0]?.state, 'running');
  }));

test.run();
