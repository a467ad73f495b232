import fc from 'fast-check';
import type { OperationStatus } from '../../../src/contract/api.js';
import { isLeft } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { operationKind } from '../../../src/projections/kinds/operation.js';
import { startEnabled } from '../../../src/recovery/reconcile-lifecycle.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, codeOf, must, testRelease, until, type World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle, order and faults');

const INSTALL = { addonId: 'demo', operationId: 'op-1', args: { sourceId: 'lib', version: '1.0.0' } };

function gate(): { readonly open: () => void; readonly closed: Promise<void> } {
  let open: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, closed };
}

/** The operations in the journal in the order of their events; a list without repeats means that none overlapped. */
function runsOf(world: World): readonly string[] {
  const runs: string[] = [];
  for (const slice of world.store.journal.read({ from: 1 }))
    for (const { stream } of slice) if (stream.startsWith('operation-') && runs.at(-1) !== stream) runs.push(stream);
  return runs;
}

test('commands on any add-ons run one at a time [LIFECYCLE-026]', async () => {
  const action = fc.constantFrom('install', 'enable', 'disable', 'uninstall', 'upgrade');
  const command = fc.tuple(action, fc.constantFrom('demo', 'other', 'third'));
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 2, maxLength: 12 }), (commands) =>
      inWorld(async (world) => {
        await world.library(['demo', 'other', 'third'].map((id) => testRelease(id, '1.0.0')));
        const args = (name: string) => (name === 'install' || name === 'upgrade' ? INSTALL.args : {});
        await Promise.all(commands.map(([name, id], index) => world.act(name, `op-${index}`, args(name), id)));
        const runs = runsOf(world);
        assert.is(new Set(runs).size, runs.length, 'two operations overlapped');
        assert.ok(world.packages.mostAtOnce <= 1);
      })(),
    ),
    { numRuns: 40 },
  );
});

test(
  'a command that hangs holds back no read, and says how many bytes came',
  inWorld(async (world) => {
    const slow = gate();
    world.packages.gate = slow.closed;
    const running = world.dispatch('install', INSTALL);
    await until(() => world.packages.atOnce === 1);
    assert.equal(must(await world.lifecycle.apps(ADMIN)), []);
    must(await world.dispatch('catalog-search'));
    must(await world.dispatch('addons-installed'));
    const status = must(await world.lifecycle.operationStatus(ADMIN, 'op-1'));
    assert.equal(status.progress, { phase: 'downloading', bytes: 512, totalBytes: 1024 });
    slow.open();
    must(await running);
    assert.is(must(await world.lifecycle.operationStatus(ADMIN, 'op-1')).progress, undefined);
  }),
);

test(
  'a caller who does not wait is answered once the intent is on disk, and the operation goes on',
  inWorld(async (world) => {
    const slow = gate();
    world.packages.gate = slow.closed;
    const early = must(await world.dispatch('install', INSTALL, ADMIN, true));
    assert.is((early.payload as unknown as OperationStatus).state, 'intent');
    const again = must(await world.dispatch('install', INSTALL, ADMIN, true));
    assert.is((again.payload as unknown as OperationStatus).state, 'intent');
    slow.open();
    const done = must(await world.dispatch('install', INSTALL));
    assert.is((done.payload as unknown as OperationStatus).state, 'completed');
    assert.is(world.packages.staged, 1);
  }),
);

test(
  'an operation that waits for its turn is neither unknown nor recorded',
  inWorld(async (world) => {
    const slow = gate();
    world.packages.gate = slow.closed;
    const first = world.dispatch('install', INSTALL);
    const second = world.install('op-2', '1.0.0', 'other');
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(await world.status('op-2'), 'busy');
    slow.open();
    must(await first);
    assert.is(((await second) as OperationStatus).state, 'completed');
  }),
);

test(
  'more waiting commands than the queue takes are refused as busy, not queued without bound',
  inWorld(async (world) => {
    const slow = gate();
    world.packages.gate = slow.closed;
    const first = world.dispatch('install', INSTALL);
    const others = Array.from({ length: 70 }, (_, index) => world.act('enable', `wait-${index}`));
    await new Promise((resolve) => setImmediate(resolve));
    slow.open();
    must(await first);
    const answers = await Promise.all(others);
    assert.is(answers.filter((answer) => answer === 'busy').length, 7);
  }),
);

test(
  'install goes through the library and a verified stage, and the record follows the publication [LIFECYCLE-019]',
  inWorld(async (world) => {
    let phase: string | undefined;
    world.packages.beforePublish = () => {
      phase = world.store.visible.get(operationKind, 'op-1').phase;
      assert.is(findInstalled(world.store.ahead, 'demo'), undefined);
    };
    must(await world.dispatch('install', INSTALL));
    assert.is(phase, 'intent');
    assert.equal(world.catalog.fetched, ['lib']);
    assert.is(world.packages.staged, 1);
    assert.is(
      world.packages.published.get(findInstalled(world.store.visible, 'demo')?.directory ?? '')?.addonId,
      'demo',
    );
  }),
);

test(
  'a journal that fails leaves the outcome open, and blocks every further command until a restart [LIFECYCLE-032]',
  inWorld(async (world) => {
    world.storage.survive();
    world.storage.plan = { at: 2, how: 'fail' };
    const answer = await world.dispatch('install', INSTALL);
    assert.ok(isLeft(answer));
    assert.is(answer.left.refusal, 'outcome_unknown');
    assert.is(answer.left.detail?.operationId, 'op-1');
    for (const [action, id] of [
      ['install', 'other'],
      ['enable', 'demo'],
    ] as const)
      assert.is(await world.act(action, 'op-2', action === 'install' ? INSTALL.args : {}, id), 'fenced');
    assert.is(
      codeOf(
        await world.dispatch('catalog-source-save', {
          operationId: 'op-3',
          args: { id: 'x', url: 'https://x.test/i' },
        }),
      ),
      'fenced',
    );
    await world.boot();
    assert.is(await world.status('op-1'), 'failed');
    assert.is(((await world.install('op-4')) as OperationStatus).state, 'completed');
  }),
);

test('a disk that is full at any step refuses or leaves the outcome open; with space the next command settles it', async () => {
  for (let room = 0; room <= 3; room += 1)
    await inWorld(async (world) => {
      world.storage.roomFor = room;
      const answer = await world.dispatch('install', INSTALL);
      assert.is(codeOf(answer), room === 0 ? 'insufficient_storage' : 'outcome_unknown', `room for ${room}`);
      assert.is(await world.act('enable', 'op-2', {}, 'other'), room === 0 ? 'not_found' : 'insufficient_storage');
      world.storage.roomFor = Number.POSITIVE_INFINITY;
      const other = (await world.install('op-3', '1.0.0', 'other')) as OperationStatus;
      assert.is(other.state, 'completed');
      const expected = ['not_found', 'failed', 'completed', 'completed'][room];
      assert.is(await world.status('op-1'), expected, `room for ${room}`);
      assert.is(findInstalled(world.store.visible, 'demo') !== undefined, room >= 2);
      assert.is(world.packages.staged, room === 0 ? 1 : 2, 'nothing was staged twice');
    })();
});

test(
  'a failure at any step of an install leaves no stage, and the next install works',
  inWorld(async (world) => {
    const { packages, catalog } = world;
    const attempts: readonly (readonly [string, () => void, () => void])[] = [
      ['library_unavailable', () => catalog.failing.add('lib'), () => catalog.failing.clear()],
      [
        'package_fetch_failed',
        () => (packages.refuseStage = refuse('package_fetch_failed', 'x')),
        () => (packages.refuseStage = undefined),
      ],
      [
        'package_unverified',
        () => (packages.refuseStage = refuse('package_unverified', 'x')),
        () => (packages.refuseStage = undefined),
      ],
      [
        'sdk_incompatible',
        () => (packages.refuseStage = refuse('sdk_incompatible', 'x')),
        () => (packages.refuseStage = undefined),
      ],
      ['unavailable', () => (packages.throwStage = true), () => (packages.throwStage = false)],
      [
        'install_storage_failed',
        () => (packages.refusePublish = refuse('install_storage_failed', 'x')),
        () => (packages.refusePublish = undefined),
      ],
    ];
    for (const [index, [code, breaks, mends]] of attempts.entries()) {
      breaks();
      assert.is(await world.install(`bad-${index}`), code);
      assert.is(await world.status(`bad-${index}`), 'failed');
      assert.is(packages.stages.size, 0, code);
      assert.is(packages.published.size, 0, code);
      mends();
    }
    assert.is(((await world.install('good')) as OperationStatus).state, 'completed');
  }),
);

test(
  'a fault inside shows nothing of itself to the caller and is logged with its operation',
  inWorld(async (world) => {
    world.packages.throwStage = true;
    const answer = await world.dispatch('install', INSTALL);
    assert.ok(isLeft(answer));
    assert.not.match(JSON.stringify(answer), /secret/);
    const line = world.seen.find(({ message }) => message === 'Addon operation failed');
    assert.match(JSON.stringify(line?.fields), /"operationId":"op-1"/);
    assert.match(JSON.stringify(line?.fields), /"action":"install"/);
  }),
);

test(
  'a shutdown ends a download, and the operation is recorded as failed',
  inWorld(async (world) => {
    world.packages.gate = new Promise(() => undefined);
    const running = world.dispatch('install', INSTALL);
    await until(() => world.packages.atOnce === 1);
    await world.lifecycle.shutdown();
    assert.is(codeOf(await running), 'package_fetch_failed');
    assert.is(await world.status('op-1'), 'failed');
  }),
);

test(
  'the start sweeps abandoned stages and keeps every published package [LIFECYCLE-035]',
  inWorld(async (world) => {
    await world.install('op-1');
    const release = { ...testRelease('demo', '9.0.0'), selection: '9.0.0' };
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    must(await world.packages.publish(must(await world.packages.stage(release, undefined, options))));
    must(await world.packages.stage(release, undefined, options));
    await world.boot();
    assert.is(world.packages.stages.size, 0);
    assert.is(world.packages.published.size, 2);
    assert.is(findInstalled(world.store.visible, 'demo')?.version, '1.0.0');
  }),
);

test(
  'a prepared operation that can no longer be applied is failed at the start, and the owner serves',
  inWorld(async (world) => {
    const requested = { action: 'enable', addonId: 'demo', digest: `sha256:${'0'.repeat(64)}`, generation: 1 };
    const events = [
      { type: 'OperationRequested', payload: requested },
      { type: 'OperationPrepared', payload: { generation: 1 } },
    ];
    const changes = [{ stream: 'operation-op-9', events }];
    must(await world.store.commit({ changes }, { operationId: 'op-9', actor: ADMIN.actor }));
    must(await world.boot());
    assert.is(await world.status('op-9'), 'failed');
  }),
);

test(
  'a fault at the start of one add-on is logged and keeps neither the others nor the owner from running',
  inWorld(async (world) => {
    for (const addonId of ['demo', 'other']) {
      await world.library([testRelease('demo', '1.0.0'), testRelease('other', '1.0.0')]);
      await world.install(`install-${addonId}`, '1.0.0', addonId);
      await world.act('enable', `enable-${addonId}`, {}, addonId);
    }
    await world.boot();
    world.runtimes.beforeStart = ({ addonId }) => {
      if (addonId === 'demo') throw new Error('no more descriptors');
    };
    await startEnabled(world.lifecycle);
    assert.equal([...world.runtimes.running.keys()], ['other']);
    assert.ok(
      world.seen.some(({ level, fields }) => level === 'error' && /no more descriptors/.test(JSON.stringify(fields))),
    );
  }),
);

test.run();
