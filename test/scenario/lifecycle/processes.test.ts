import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledEntry, OperationStatus } from '../../../src/contract/api.js';
import { isLeft, left, right } from '../../../src/contract/fp.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { reconcileLifecycle, startEnabled } from '../../../src/recovery/reconcile-lifecycle.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, must, READER, testRelease, until, type World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle, processes');

async function stateOf(world: World, id = 'demo'): Promise<string | undefined> {
  return must(await world.lifecycle.apps(ADMIN)).find((entry) => entry.id === id)?.state;
}

async function reasonOf(world: World): Promise<string | undefined> {
  const { payload } = must(await world.dispatch('addons-installed'));
  return (payload as unknown as { addons: InstalledEntry[] }).addons[0]?.reason;
}

test(
  'an enable whose process does not start leaves the intent, says outcome unknown, and is shown as failed [LIFECYCLE-021] [APPS-029] [APPS-017]',
  inWorld(async (world) => {
    await world.install('op-1');
    world.runtimes.broken.add('demo');
    const answer = await world.dispatch('enable', { addonId: 'demo', operationId: 'op-2' });
    assert.ok(isLeft(answer));
    assert.is(answer.left.refusal, 'outcome_unknown');
    assert.is(answer.left.detail?.operationId, 'op-2');
    assert.is(await world.status('op-2'), 'completed');
    assert.is(findInstalled(world.store.visible, 'demo')?.enabled, true);
    assert.is(await stateOf(world), 'failed');
    assert.is(await reasonOf(world), 'it exits at once');
  }),
);

test(
  'a repeat of a completed operation retries the process against what is desired now, and publishes nothing [RUNTIME-056] [RUNTIME-057]',
  inWorld(async (world) => {
    await world.install('op-1');
    world.runtimes.broken.add('demo');
    assert.is(await world.act('enable', 'op-2'), 'outcome_unknown');
    assert.is(await world.act('enable', 'op-2'), 'outcome_unknown');
    assert.is(await world.install('op-1'), 'outcome_unknown');
    assert.is(world.packages.staged, 1);
    world.runtimes.broken.clear();
    const position = world.store.journal.head().position;
    assert.is(((await world.act('enable', 'op-2')) as OperationStatus).state, 'completed');
    assert.is(world.store.journal.head().position, position);
    assert.is(await stateOf(world), 'running');
    await world.act('disable', 'op-3');
    assert.is(((await world.act('enable', 'op-2')) as OperationStatus).state, 'completed');
    assert.is(world.runtimes.running.size, 0);
  }),
);

test(
  'a broken add-on stops neither the start nor the others, and a restart tries it again [RUNTIME-009] [RUNTIME-010] [RUNTIME-011]',
  inWorld(async (world) => {
    for (const [index, id] of ['demo', 'other'].entries()) {
      await world.install(`i-${index}`, '1.0.0', id);
      await world.act('enable', `e-${index}`, {}, id);
    }
    world.runtimes.broken.add('demo');
    must(await world.boot());
    await startEnabled(world.lifecycle);
    assert.is(await stateOf(world, 'demo'), 'failed');
    assert.is(await stateOf(world, 'other'), 'running');
    assert.is(((await world.act('disable', 'd-1', {}, 'other')) as OperationStatus).state, 'completed');
    assert.ok(world.seen.some(({ message }) => message === 'An enabled add-on did not start'));
    world.runtimes.broken.clear();
    must(await world.boot());
    await startEnabled(world.lifecycle);
    assert.is(await stateOf(world, 'demo'), 'running');
  }),
);

test(
  'an add-on that hangs at its start delays no command on another one, and can be turned off [RUNTIME-010]',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.install('op-2', '1.0.0', 'other');
    world.runtimes.gate = new Promise(() => undefined);
    const hanging = world.act('enable', 'op-3');
    await until(() => world.runtimes.starting === 1);
    assert.is(await stateOf(world), 'starting');
    assert.is(((await world.act('uninstall', 'op-4', {}, 'other')) as OperationStatus).state, 'completed');
    assert.is(((await world.act('disable', 'op-5')) as OperationStatus).state, 'completed');
    assert.is(await hanging, 'outcome_unknown');
    assert.is(world.runtimes.running.size, 0);
  }),
);

test(
  'at the start enabled add-ons start after the reconciliation, four at a time, and those that wait are not failed [LIFECYCLE-015] [LIFECYCLE-040] [RUNTIME-001] [RUNTIME-002]',
  inWorld(async (world) => {
    const ids = Array.from({ length: 9 }, (_, index) => `app-${index}`);
    await world.library(ids.map((id) => testRelease(id, '1.0.0')));
    for (const id of ids) {
      await world.install(`i-${id}`, '1.0.0', id);
      await world.act('enable', `e-${id}`, {}, id);
    }
    must(await world.boot());
    assert.equal(world.runtimes.calls, []);
    let end: () => void = () => undefined;
    world.runtimes.gate = new Promise((resolve) => {
      end = resolve;
    });
    const started = startEnabled(world.lifecycle);
    await until(() => world.runtimes.starting >= 4);
    await new Promise((resume) => setTimeout(resume, 50));
    assert.is(world.runtimes.starting, 4);
    for (const id of ids) assert.is(await stateOf(world, id), 'starting', id);
    end();
    await started;
    assert.is(world.runtimes.mostStarting, 4);
    assert.is(world.runtimes.running.size, 9);
  }),
);

test(
  'a stage folder that cannot be swept stops the start, a process that cannot be settled does not',
  inWorld(async (world) => {
    await world.install('op-1');
    world.runtimes.recover = async () => left({ reason: 'a process may live' });
    must(await reconcileLifecycle(world.lifecycle));
    assert.ok(world.seen.some(({ level, message }) => level === 'error' && message.includes('may still live')));
    world.packages.sweep = async () => left({ refusal: 'unavailable', message: 'a link' });
    assert.ok(isLeft(await reconcileLifecycle(world.lifecycle)));
  }),
);

test(
  'the data directory is made private, and a link in its place is not followed',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    const directory = join(world.dataRoot, 'demo');
    assert.is(statSync(directory).mode & 0o777, 0o700);
    await world.act('disable', 'op-3');
    rmSync(directory, { recursive: true });
    mkdirSync(join(world.dataRoot, 'elsewhere'));
    symlinkSync(join(world.dataRoot, 'elsewhere'), directory);
    assert.is(await world.act('enable', 'op-4'), 'outcome_unknown');
    assert.is(world.runtimes.running.size, 0);
    assert.is(await stateOf(world), 'failed');
    assert.match((await reasonOf(world)) ?? '', /not a real directory/);
  }),
);

test(
  'disable, uninstall and an upgrade bring the process in line and keep what it wrote [RUNTIME-003]',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    const file = join(world.dataRoot, 'demo', 'tmp');
    mkdirSync(file);
    writeFileSync(join(file, 'x'), 'x');
    await world.act('upgrade', 'op-3', { sourceId: 'lib', version: '1.1.0' });
    assert.is(world.runtimes.running.get('demo')?.generation, 2);
    await world.act('disable', 'op-4');
    assert.is(world.runtimes.running.size, 0);
    await world.act('enable', 'op-5');
    await world.act('uninstall', 'op-6');
    assert.is(world.runtimes.running.size, 0);
    assert.ok(statSync(join(file, 'x')).isFile());
  }),
);

test(
  'a stop that cannot be confirmed is an unknown outcome, and the intent stays',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    world.runtimes.stop = async () => left({ reason: 'its end could not be confirmed' });
    assert.is(await world.act('disable', 'op-3'), 'outcome_unknown');
    assert.is(findInstalled(world.store.visible, 'demo')?.enabled, false);
    assert.is(await world.status('op-3'), 'completed');
  }),
);

test(
  'a reader sees what is installed and enabled; an administrator also what is off [APPS-003] [APPS-005] [APPS-011]',
  inWorld(async (world) => {
    for (const [index, id] of ['demo', 'other'].entries()) await world.install(`i-${index}`, '1.0.0', id);
    await world.act('enable', 'op-3', {}, 'other');
    const reader = must(await world.lifecycle.apps(READER));
    assert.equal(
      reader.map(({ id, admin }) => [id, admin]),
      [['other', undefined]],
    );
    const admin = must(await world.lifecycle.apps(ADMIN));
    assert.equal(
      admin.map(({ id, state, enabled, admin: controls }) => [id, state, enabled, controls?.canStart]),
      [
        ['demo', 'stopped', false, true],
        ['other', 'running', true, false],
      ],
    );
    await world.act('uninstall', 'op-4', {}, 'other');
    assert.equal(must(await world.lifecycle.apps(READER)), []);
  }),
);

test(
  'an entry says nothing of where the package is, where it came from or where its process listens [APPS-012]',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    const text = JSON.stringify(must(await world.lifecycle.apps(READER)));
    for (const secret of ['demo-1', 'lib.test', 'example.test', 'sha256', 'bin/run', '/packages', world.dataRoot])
      assert.not.match(text, new RegExp(secret.replaceAll('/', '\\/')));
  }),
);

test(
  'the list changes are announced',
  inWorld(async (world) => {
    let changes = 0;
    const end = world.lifecycle.onChange(() => {
      changes += 1;
    });
    await world.install('op-1');
    const first = changes;
    assert.ok(first > 0);
    await world.act('enable', 'op-2');
    assert.ok(changes > first);
    end();
    const last = changes;
    await world.act('disable', 'op-3');
    assert.is(changes, last);
  }),
);

test(
  'an administrator check that denies midway hides what is off',
  inWorld(async (world) => {
    await world.install('op-1');
    world.administrators = async () => right(false);
    assert.equal(must(await world.lifecycle.apps(ADMIN)), []);
  }),
);

test.run();
