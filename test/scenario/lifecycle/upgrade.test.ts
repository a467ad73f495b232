import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LaunchSpec } from '../../../src/commands/ports.js';
import type { OperationStatus } from '../../../src/contract/api.js';
import { left } from '../../../src/contract/fp.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { processKind } from '../../../src/projections/kinds/process.js';
import { startEnabled } from '../../../src/recovery/reconcile-lifecycle.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, must, testRelease, until, type World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle, upgrade');

const TO = { sourceId: 'lib', version: '1.1.0' };

async function running(world: World): Promise<void> {
  await world.install('op-1');
  await world.act('enable', 'op-2');
}

function write(world: World, ...path: string[]): void {
  mkdirSync(join(world.dataRoot, 'demo', ...path.slice(0, -1)), { recursive: true });
  writeFileSync(join(world.dataRoot, 'demo', ...path), 'kept');
}

/** Records each launch and its end in the ledger, as the supervisor does; `wrote` runs as the launched version. */
function withLedger(world: World, wrote: (version: string) => void = () => undefined): void {
  let launches = 0;
  const { runtimes } = world;
  const note = async (addonId: string, command: Parameters<typeof processKind.decider.decide>[1]) =>
    void must(await world.store.commit({ changes: [must(world.store.decide(processKind, addonId, command))] }));
  const exited = async (addonId: string) => {
    const state = world.store.visible.get(processKind, addonId);
    if (state.phase === 'none' || state.phase === 'exited') return;
    await note(addonId, { type: 'exited', incarnation: state.incarnation, reason: 'ended' });
  };
  runtimes.beforeStart = async ({ addonId, generation, version, dataDir }: LaunchSpec) => {
    await exited(addonId);
    launches += 1;
    const incarnation = String(launches).padStart(32, '0');
    const world = { bootId: 'boot', pidNamespace: 'pid:[1]' };
    await note(addonId, { type: 'launch', incarnation, generation, executable: '/run', dataDir, ...world });
    wrote(version);
  };
  const stop = runtimes.stop.bind(runtimes);
  runtimes.stop = async (addonId) => {
    const stopped = await stop(addonId);
    await exited(addonId).catch(() => undefined);
    return stopped;
  };
}

const dataOf = (world: World): string[] => readdirSync(join(world.dataRoot, 'demo')).sort();

test(
  'what a new version wrote before it failed is gone before the former one runs again; exports stay [RUNTIME-006]',
  inWorld(async (world) => {
    const found: string[][] = [];
    withLedger(world, (version) => {
      if (version === '1.0.0') found.push(dataOf(world));
      else for (const path of [['data.db'], ['sub', 'deep', 'x'], ['exports', 'a.csv']]) write(world, ...path);
      if (version !== '1.0.0') chmodSync(join(world.dataRoot, 'demo', 'sub', 'deep'), 0o500);
    });
    await running(world);
    world.runtimes.broken.add('demo@1.1.0');
    assert.is(await world.act('upgrade', 'op-3', TO), 'upgrade_failed');
    assert.equal(found, [[], ['exports']]);
    assert.is(world.runtimes.running.get('demo')?.version, '1.0.0');
    write(world, 'own.db');
    await world.act('disable', 'op-4');
    await world.act('enable', 'op-5');
    assert.equal(found.at(-1), ['exports', 'own.db']);
  }),
);

test(
  'what a new version wrote before the owner was killed is gone at the next start, and what an installed one wrote is not [RUNTIME-008]',
  inWorld(async (world) => {
    withLedger(world, (version) => version === '1.1.0' && write(world, 'data.db'));
    await running(world);
    world.runtimes.gate = new Promise(() => undefined);
    void world.act('upgrade', 'op-3', TO);
    await until(() => dataOf(world).includes('data.db'));
    const { incarnation } = world.store.visible.get(processKind, 'demo') as { incarnation: string };
    world.recovered = async () => {
      const exit = { type: 'exited', incarnation, reason: 'ended' } as const;
      must(await world.store.commit({ changes: [must(world.store.decide(processKind, 'demo', exit))] }));
    };
    await world.boot();
    assert.equal(dataOf(world), []);
    withLedger(world, (version) => version === '1.1.0' && write(world, 'data.db'));
    await startEnabled(world.lifecycle);
    assert.is(((await world.act('upgrade', 'op-4', TO)) as OperationStatus).state, 'completed');
    await world.act('disable', 'op-5');
    await world.act('enable', 'op-6');
    assert.equal(dataOf(world), ['data.db']);
  }),
);

test(
  'a new version that is ready but cannot be recorded on a full disk is taken back with what it wrote',
  inWorld(async (world) => {
    withLedger(world, (version) => {
      if (version === '1.1.0') write(world, 'data.db');
    });
    await running(world);
    const { start } = world.runtimes;
    world.runtimes.start = async (spec) => {
      const started = await start.call(world.runtimes, spec);
      // The ledger of the real supervisor stands in the same journal; what it needs is not what this is about.
      if (spec.version === '1.1.0') world.storage.refuseNext = 1;
      return started;
    };
    assert.is(await world.act('upgrade', 'op-3', TO), 'outcome_unknown');
    assert.is(world.runtimes.running.get('demo')?.version, '1.0.0');
    assert.equal(dataOf(world), []);
    assert.is(findInstalled(world.store.visible, 'demo')?.generation, 1);
    await world.act('enable', 'op-4');
    assert.is(await world.status('op-3'), 'failed');
  }),
);

test(
  'a new version whose recording met a storage fault is ended, and its data stays until the next start decides',
  inWorld(async (world) => {
    withLedger(world, (version) => {
      if (version === '1.1.0') write(world, 'data.db');
    });
    await running(world);
    const { start } = world.runtimes;
    world.runtimes.start = async (spec) => {
      const started = await start.call(world.runtimes, spec);
      if (spec.version === '1.1.0') world.storage.plan = { at: world.storage.commits + 1, how: 'fail' };
      return started;
    };
    assert.is(await world.act('upgrade', 'op-3', TO), 'outcome_unknown');
    assert.is(world.runtimes.running.get('demo'), undefined);
    assert.equal(dataOf(world), ['data.db']);
  }),
);

test(
  'a new version that does not start fails the upgrade, the former one runs again and stays installed [RUNTIME-006] [RUNTIME-007]',
  inWorld(async (world) => {
    await running(world);
    world.runtimes.broken.add('demo@1.1.0');
    assert.is(await world.act('upgrade', 'op-3', TO), 'upgrade_failed');
    assert.is(await world.status('op-3'), 'failed');
    const installed = findInstalled(world.store.visible, 'demo');
    assert.is(installed?.generation, 1);
    assert.is(installed?.version, '1.0.0');
    assert.is(world.runtimes.running.get('demo')?.version, '1.0.0');
    assert.is(must(await world.lifecycle.apps(ADMIN))[0]?.version, '1.0.0');
    assert.is(world.packages.published.size, 2);
    world.runtimes.broken.clear();
    assert.is(await world.act('upgrade', 'op-3', TO), 'upgrade_failed');
    const status = (await world.act('upgrade', 'op-4', TO)) as OperationStatus;
    assert.is(status.state, 'completed');
    assert.is(status.generation, 3);
  }),
);

test(
  'a running version whose end cannot be confirmed stops the upgrade, and nothing is started beside it',
  inWorld(async (world) => {
    await running(world);
    world.runtimes.stop = async () => left({ reason: 'its end could not be confirmed' });
    assert.is(await world.act('upgrade', 'op-3', TO), 'upgrade_failed');
    assert.equal(world.runtimes.calls, ['start demo 1']);
    assert.is(findInstalled(world.store.visible, 'demo')?.generation, 1);
  }),
);

test(
  'an owner that is killed while the new version starts comes back with the former one running [RUNTIME-008]',
  inWorld(async (world) => {
    await running(world);
    world.runtimes.gate = new Promise(() => undefined);
    void world.act('upgrade', 'op-3', TO);
    await until(() => world.runtimes.starting === 1);
    await world.boot();
    await startEnabled(world.lifecycle);
    assert.is(findInstalled(world.store.visible, 'demo')?.version, '1.0.0');
    assert.is(world.runtimes.running.get('demo')?.version, '1.0.0');
    assert.is(await world.status('op-3'), 'failed');
  }),
);

test(
  'while an upgrade is proved the list shows the former version, on its way, and nothing new is admitted',
  inWorld(async (world) => {
    await running(world);
    let open: () => void = () => undefined;
    world.runtimes.gate = new Promise((resolve) => {
      open = resolve;
    });
    const upgrading = world.act('upgrade', 'op-3', TO);
    await until(() => world.runtimes.starting === 1);
    const [entry] = must(await world.lifecycle.apps(ADMIN));
    assert.equal([entry?.version, entry?.generation, entry?.state], ['1.0.0', 1, 'starting']);
    assert.is(findInstalled(world.store.visible, 'demo')?.changing, true);
    open();
    await upgrading;
    assert.is(findInstalled(world.store.visible, 'demo')?.changing, false);
  }),
);

test(
  'an add-on that keeps data is not upgraded yet; exports and tmp are no data',
  inWorld(async (world) => {
    await running(world);
    write(world, 'exports', 'a.csv');
    write(world, 'tmp', 'b');
    assert.is(((await world.act('upgrade', 'op-3', TO)) as OperationStatus).state, 'completed');
    write(world, 'data.db');
    const before = world.store.journal.head().position;
    assert.is(await world.act('upgrade', 'op-4', { sourceId: 'lib', version: '1.0.0' }), 'upgrade_unsupported');
    assert.is(world.store.journal.head().position, before);
    assert.is(readFileSync(join(world.dataRoot, 'demo', 'data.db'), 'utf8'), 'kept');
    assert.is(world.runtimes.running.get('demo')?.version, '1.1.0');
  }),
);

test(
  'data that the running version wrote during the download stops the upgrade, and it runs again',
  inWorld(async (world) => {
    await running(world);
    world.packages.beforePublish = () => write(world, 'late.db');
    assert.is(await world.act('upgrade', 'op-3', TO), 'upgrade_unsupported');
    assert.is(world.runtimes.running.get('demo')?.version, '1.0.0');
    assert.is(findInstalled(world.store.visible, 'demo')?.generation, 1);
  }),
);

test(
  'a package of another library or signer is refused before anything stops or is published',
  inWorld(async (world) => {
    await running(world);
    await world.library([testRelease('new-thing', '1.0.0')], 'thief');
    world.catalog.indexes.set('lib', []);
    world.catalog.indexes.set('thief', [testRelease('demo', '1.1.0', { sourceId: 'thief' })]);
    assert.is(await world.act('upgrade', 'op-3', { sourceId: 'thief', version: '1.1.0' }), 'library_conflict');
    must(await world.lifecycle.library.disable('lib'));
    assert.is(await world.act('upgrade', 'op-4', { sourceId: 'thief', version: '1.1.0' }), 'identity_changed');
    assert.is(world.packages.published.size, 1);
    assert.is(world.packages.stages.size, 0);
    assert.equal(world.runtimes.calls, ['start demo 1']);
    must(await world.lifecycle.library.enable('lib'));
    must(await world.lifecycle.library.disable('thief'));
    world.catalog.indexes.set('lib', [testRelease('demo', '1.1.0')]);
    world.packages.signer = { issuer: 'i', identity: 's' };
    assert.is(await world.act('upgrade', 'op-5', TO), 'identity_changed');
  }),
);

test(
  'a library that was pointed at another address is another identity',
  inWorld(async (world) => {
    await running(world);
    const moved = { id: 'lib', name: 'lib', url: 'https://elsewhere.test/i.yaml', policy: { requireSignature: false } };
    must(await world.dispatch('catalog-source-save', { operationId: 'op-3', args: moved }));
    assert.is(await world.act('upgrade', 'op-4', TO), 'identity_changed');
  }),
);

test(
  'a reinstall over retained data keeps the identity, without data it is free',
  inWorld(async (world) => {
    await running(world);
    await world.act('uninstall', 'op-3');
    world.packages.signer = { issuer: 'i', identity: 's' };
    write(world, 'data.db');
    assert.is(await world.install('op-4'), 'identity_changed');
    world.packages.signer = undefined;
    assert.is(((await world.install('op-5')) as OperationStatus).state, 'completed');
    assert.is(readFileSync(join(world.dataRoot, 'demo', 'data.db'), 'utf8'), 'kept');
  }),
);

test(
  'a disabled add-on is upgraded without a start, also to an earlier version',
  inWorld(async (world) => {
    await world.install('op-1', '1.1.0');
    const status = (await world.act('upgrade', 'op-2', { sourceId: 'lib', version: '1.0.0' })) as OperationStatus;
    assert.equal([status.state, status.generation], ['completed', 2]);
    assert.equal(world.runtimes.calls, []);
    assert.is(findInstalled(world.store.visible, 'demo')?.version, '1.0.0');
  }),
);

test(
  'an upgrade takes its selection and no more: an unknown field is a denial [MANAGE-002]',
  inWorld(async (world) => {
    await running(world);
    assert.is(await world.act('upgrade', 'op-3', { ...TO, force: true }), 'denied');
    assert.is(await world.status('op-3'), 'not_found');
  }),
);

test.run();
