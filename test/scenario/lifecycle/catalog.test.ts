import { isLeft } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, codeOf, must, READER, testRelease, type World } from '../../support/lifecycle-world.js';

const test = suite('the catalog and what is installed');

const SIGNAL = new AbortController().signal;
const routes = (world: World) => world.lifecycle.administration;
const catalog = (world: World) =>
  world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 100 }).releases;

test(
  'reading, searching and resolving install nothing and start nothing [CATALOG-001]',
  inWorld(async (world) => {
    const { library } = world.lifecycle;
    must(await library.refresh('lib', SIGNAL));
    assert.is(library.search({ text: 'demo', kind: 'all', offset: 0, limit: 50 }).total, 2);
    must(library.details('lib', 'demo', '1.0.0'));
    must(await library.resolve({ sourceId: 'lib', addonId: 'demo', version: '1.0.0' }, SIGNAL));
    assert.equal([world.packages.staged, world.packages.published.size, world.runtimes.calls], [0, 0, []]);
    assert.equal(must(await world.dispatch('addons-installed')).payload, { addons: [] });
  }),
);

test(
  'a release for another platform than that of the owner is neither found nor installed [CATALOG-050]',
  inWorld(async (world) => {
    const release = (version: string, extra: object) => testRelease('demo', version, extra);
    await world.library([
      release('1.0.0', { arch: 'arm64' }),
      release('1.1.0', { os: 'darwin' }),
      release('1.2.0', { os: 'darwin', arch: 'arm64', channel: 'latest' }),
    ]);
    must(await world.lifecycle.library.refresh('lib', SIGNAL));
    assert.equal(catalog(world), []);
    for (const [at, version] of ['1.0.0', '1.1.0', '1.2.0'].entries())
      assert.is(await world.install(`op-${at}`, version), 'release_not_found', version);
    assert.is(await world.act('install', 'op-9', { sourceId: 'lib', channel: 'latest' }), 'release_not_found');
    assert.is(world.packages.staged, 0);
  }),
);

test(
  'whether a source exists is told to an administrator only [CATALOG-059]',
  inWorld(async (world) => {
    for (const id of ['lib', 'nowhere']) {
      assert.is(codeOf(await routes(world).switch(READER, id, 'disable')), 'denied');
      assert.is(codeOf(await routes(world).remove(READER, id)), 'denied');
      const args = { sourceId: id };
      assert.is(
        codeOf(await world.dispatch('catalog-source-refresh', { operationId: 'op-1', args }, READER)),
        'denied',
      );
    }
    assert.is(codeOf(await routes(world).switch(ADMIN, 'nowhere', 'disable')), 'not_found');
  }),
);

test(
  'an installed add-on shows what its verified manifest says, not what the index hinted, and has no icon before [CATALOG-037]',
  inWorld(async (world) => {
    const ui = { title: 'Hinted', description: 'Hinted words', icon: 'ui/icon.png', mainPage: 'hinted' };
    await world.library([testRelease('demo', '1.0.0', { ui, tools: ['hinted-tool'], toolCount: 9 })]);
    must(await world.lifecycle.library.refresh('lib', SIGNAL));
    assert.ok(isLeft(await world.lifecycle.icon(ADMIN, 'demo', 1)));
    await world.install('op-1');
    const [app] = must(await world.lifecycle.apps(ADMIN));
    assert.not.match(JSON.stringify(app), /[Hh]inted/);
    assert.equal([app?.toolCount, app?.tools], [1, ['read-it']]);
  }),
);

test(
  'what a library lists of unknown kinds is counted in the refresh and in the state of the source [BACKENDS-005]',
  inWorld(async (world) => {
    world.catalog.skipped.set('lib', { skipped: 3, skippedKinds: ['model', 'voice'] });
    const { payload } = must(
      await world.dispatch('catalog-source-refresh', { operationId: 'op-1', args: { sourceId: 'lib' } }),
    );
    assert.equal(
      [(payload as { skipped?: number }).skipped, (payload as { skippedKinds?: unknown }).skippedKinds],
      [3, ['model', 'voice']],
    );
    const refresh = world.lifecycle.library.find('lib')?.refresh;
    assert.equal([refresh?.count, refresh?.skipped, refresh?.skippedKinds], [3, 3, ['model', 'voice']]);
  }),
);

test.run();
