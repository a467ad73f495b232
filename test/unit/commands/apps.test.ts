import { describeApp } from '../../../src/commands/lifecycle/apps.js';
import type { InstalledEntry } from '../../../src/contract/api.js';
import { isLeft } from '../../../src/contract/fp.js';
import type { JsonObject } from '../../../src/contract/json.js';
import { installedTables } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, DIGEST, must, READER, testManifest, type World } from '../../support/lifecycle-world.js';

const test = suite('apps and the installed view');

const TOOLS = Array.from({ length: 40 }, (_, index) => `tool-${index}`);

function withUi(ui: JsonObject): (world: World) => void {
  return (world) => {
    world.packages.manifestOf = ({ id, version }) => ({
      ...testManifest(id, version),
      capabilities: { service: true, tools: TOOLS, adminTools: ['hidden'], ui },
    });
  };
}

const UI: JsonObject = {
  entry: 'ui/main.js',
  sdk: { min: 1, max: 2 },
  pages: ['home', 'other'],
  mainPage: 'home',
  icon: 'icon.png',
  title: { de: 'Tabellen', en: 'Tables' },
  description: 'Rows and columns',
};

async function entry(world: World): Promise<JsonObject> {
  return must(await world.lifecycle.apps(ADMIN))[0] as unknown as JsonObject;
}

test(
  'an entry carries what the manifest declares, texts in the default language and in all [APPS-008] [APPS-009] [APPS-010] [APPS-020] [APPS-021]',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    const { admin, installedAt, ...rest } = await entry(world);
    assert.equal(rest, {
      id: 'demo',
      name: 'demo',
      title: 'Tables',
      titles: { de: 'Tabellen', en: 'Tables' },
      description: 'Rows and columns',
      icon: '/api/addons/apps/demo/icon?generation=1',
      version: '1.0.0',
      generation: 1,
      enabled: true,
      state: 'running',
      mainPage: '/app/addons/demo/home',
      hasUI: true,
      launchMode: 'always',
      tools: TOOLS.slice(0, 32),
      toolCount: 40,
    });
    assert.equal(admin, { canStart: false, canStop: true, managementUrl: '/app/addons?manage=demo' });
    await world.act('disable', 'op-3');
    assert.is((await entry(world)).mainPage, undefined);
  }, withUi(UI)),
);

test('an app names what it holds in the word of its manifest, if there is one', () => {
  const { manifest } = installedTables();
  assert.is(describeApp('tables', manifest).resourceNoun, 'database');
  const { resources: _none, ...capabilities } = manifest.capabilities;
  assert.not.ok('resourceNoun' in describeApp('tables', { ...manifest, capabilities }));
});

test(
  'a main page that is no declared page is not offered',
  inWorld(
    async (world) => {
      await world.install('op-1');
      await world.act('enable', 'op-2');
      assert.is((await entry(world)).mainPage, undefined);
    },
    withUi({ ...UI, mainPage: 'elsewhere' }),
  ),
);

test(
  'a headless add-on has its id as title, and no page or icon [APPS-007]',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    const shown = await entry(world);
    assert.equal(
      [shown.title, shown.description, shown.mainPage, shown.icon, shown.hasUI, shown.state],
      ['demo', '', undefined, undefined, false, 'running'],
    );
  }),
);

test(
  'an icon is served of the generation that is installed, to whoever sees the app; else one and the same refusal [APPS-023]',
  inWorld(async (world) => {
    await world.install('op-1');
    assert.is(must(await world.lifecycle.icon(ADMIN, 'demo', 1)).mediaType, 'image/png');
    const refusals = [
      await world.lifecycle.icon(ADMIN, 'demo', 2),
      await world.lifecycle.icon(ADMIN, 'nothing', 1),
      await world.lifecycle.icon(READER, 'demo', 1),
    ];
    world.packages.published.clear();
    refusals.push(await world.lifecycle.icon(ADMIN, 'demo', 1));
    for (const refusal of refusals) {
      assert.ok(isLeft(refusal) && refusal.left.refusal === 'denied');
      assert.equal(refusal, refusals[0]);
    }
  }, withUi(UI)),
);

test(
  'the installed view has every field of the chapter [MANAGE-008] [MANAGE-018] [MANAGE-020]',
  inWorld(async (world) => {
    await world.act('install', 'op-1', { sourceId: 'lib', channel: 'latest' });
    const { payload } = must(await world.dispatch('addons-installed'));
    const [shown] = (payload as unknown as { addons: InstalledEntry[] }).addons;
    assert.equal(shown as unknown, {
      id: 'demo',
      title: 'demo',
      description: '',
      version: '1.1.0',
      generation: 1,
      enabled: false,
      state: 'stopped',
      installedAt: '2026-01-01T00:00:00.000Z',
      hasUI: false,
      launchMode: 'always',
      tools: ['read-it'],
      toolCount: 1,
      sourceId: 'lib',
      channel: 'latest',
      selection: 'latest',
      verification: 'sha256',
      digest: DIGEST,
      platform: { os: 'linux', arch: 'amd64' },
      compatibility: {
        host: { min: 1, max: 1 },
        api: { min: 1, max: 2 },
        protocol: { min: 1, max: 1 },
        dataFormat: { min: 1, max: 1 },
      },
      generations: 1,
      restarts: 0,
      storage: { bytes: 0, truncated: false },
    });
  }),
);

test.run();
