import type { InstalledEntry } from '../../../src/contract/api.js';
import type { JsonObject } from '../../../src/contract/json.js';
import { startEnabled } from '../../../src/recovery/reconcile-lifecycle.js';
import { assert, suite } from '../../support/harness.js';
import { must, READER, testManifest, testRelease, until, World } from '../../support/lifecycle-world.js';

const test = suite('host operations of an add-on');

const asking = (id: string, version: string, hostOperations: JsonObject): JsonObject => {
  const manifest = testManifest(id, version);
  return { ...manifest, capabilities: { ...(manifest.capabilities as JsonObject), hostOperations } };
};

/** Version 1 asks for `first`, later ones for `later`. */
async function world(grants: Record<string, string[]>, first: JsonObject, later = first): Promise<World> {
  const opened = await World.open((fresh) => {
    fresh.grants = new Map(Object.entries(grants));
    fresh.packages.manifestOf = ({ id, version }) => asking(id, version, version === '1.0.0' ? first : later);
  });
  await opened.library([testRelease('demo', '1.0.0'), testRelease('demo', '2.0.0')]);
  return opened;
}

async function entry(opened: World): Promise<InstalledEntry | undefined> {
  const { payload } = must(await opened.dispatch('addons-installed', { operationId: 'view-1' }));
  return (payload as unknown as { addons: InstalledEntry[] }).addons.find(({ id }) => id === 'demo');
}

const NEEDS = { required: ['workspace.export'], optional: ['egress.check'] };

test('a missing required request refuses the install before anything is published [HOSTOPS-006] [HOSTOPS-022] [HOSTPOLICY-027]', async () => {
  const opened = await world({ other: ['workspace.'] }, NEEDS);
  const done = await opened.dispatch('install', {
    addonId: 'demo',
    operationId: 'in-1',
    args: { sourceId: 'lib', version: '1.0.0' },
  });
  assert.is(done._tag, 'Left');
  const refusal = done._tag === 'Left' ? done.left : undefined;
  assert.is(refusal?.refusal, 'not_permitted');
  assert.match(refusal?.message ?? '', /workspace\.export\. Nothing changed/);
  assert.is(opened.packages.published.size, 0);
  assert.is(opened.packages.stages.size, 0);
  assert.is(await entry(opened), undefined);
  assert.equal(opened.runtimes.calls, []);
  opened.close();
});

test('an unknown operation is missing whatever is granted', async () => {
  const opened = await world({ demo: ['workspace.'] }, { required: ['workspace.future'] });
  assert.is(await opened.install('in-1'), 'not_permitted');
  opened.close();
});

test('a refused upgrade leaves receipt, generation and process as they are [HOSTOPS-007]', async () => {
  const opened = await world(
    { demo: ['workspace.'] },
    { required: ['workspace.export'] },
    { required: ['egress.check'] },
  );
  await opened.install('in-1');
  await opened.act('enable', 'on-1');
  await until(() => opened.runtimes.running.has('demo'));
  const before = await entry(opened);
  const calls = [...opened.runtimes.calls];
  assert.is(await opened.act('upgrade', 'up-1', { sourceId: 'lib', version: '2.0.0' }), 'not_permitted');
  assert.equal(await entry(opened), before);
  assert.equal(opened.runtimes.calls, calls);
  assert.is(opened.packages.published.size, 1);
  opened.close();
});

test('a missing optional request permits the start, and administrators see the lists with counts [HOSTOPS-012] [HOSTOPS-013] [HOSTOPS-014]', async () => {
  const opened = await world({ demo: ['workspace.', 'connector.'] }, NEEDS);
  const expected = {
    required: ['workspace.export'],
    optional: ['egress.check'],
    granted: ['workspace.export'],
    missing: ['egress.check'],
    counts: { required: 1, optional: 1, granted: 1, missing: 1 },
  };
  const installed = (await opened.install('in-1')) as unknown as JsonObject;
  assert.equal(installed.hostOperations, expected);
  await opened.act('enable', 'on-1');
  await until(() => opened.runtimes.running.has('demo'));
  assert.equal((await entry(opened))?.hostOperations, expected);
  opened.close();
});

test('after its grant is gone it stays installed and enabled and fails, until the grant is back [HOSTOPS-009] [HOSTOPS-010] [HOSTOPS-015]', async () => {
  const opened = await world({ demo: ['workspace.'] }, NEEDS);
  await opened.install('in-1');
  await opened.act('enable', 'on-1');
  opened.grants = new Map();
  await opened.boot();
  await startEnabled(opened.lifecycle);
  const found = await entry(opened);
  assert.is(found?.enabled, true);
  assert.is(found?.state, 'failed');
  assert.match(found?.reason ?? '', /does not grant it: workspace\.export/);
  assert.equal(opened.runtimes.calls, []);
  const [app] = must(await opened.lifecycle.apps(READER));
  assert.is(app?.state, 'failed');
  assert.not.match(JSON.stringify(app), /workspace|grant|operation/);
  opened.grants = new Map([['demo', ['workspace.']]]);
  await opened.boot();
  await startEnabled(opened.lifecycle);
  await until(() => opened.runtimes.running.has('demo'));
  assert.is((await entry(opened))?.state, 'running');
  opened.close();
});

test('a manifest that asks for nothing shows nothing and needs nothing [HOSTOPS-003]', async () => {
  const opened = await World.open();
  await opened.library([testRelease('demo', '1.0.0')]);
  await opened.install('in-1');
  assert.is((await entry(opened))?.hostOperations, undefined);
  opened.close();
});

test.run();
