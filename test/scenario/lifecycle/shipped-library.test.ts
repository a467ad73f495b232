/** The library that ships with the owner: where it is served, how it stands beside added ones, and that it stays away once removed. */
import { officialLibrary, type ShippedSource } from '../../../src/commands/library/shipped.js';
import type { SourceView } from '../../../src/contract/api.js';
import type { Json } from '../../../src/contract/json.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { codeOf, must, testRelease, type World } from '../../support/lifecycle-world.js';

const test = suite('the shipped library');

const SIGNAL = new AbortController().signal;
const SHIPPED = officialLibrary(undefined, 'http://127.0.0.1:4711/index.yaml') as ShippedSource;
const MOVED = { ...SHIPPED, servedAt: 'http://127.0.0.1:5000/index.yaml' };

/** What a start of the owner records of the sources that ship with it. */
const start = async (world: World, first = false) =>
  must(await world.store.commit({ changes: must(world.lifecycle.library.sources.startChanges(first)) }));

async function sourcesOf(world: World): Promise<readonly SourceView[]> {
  const { payload } = must(await world.dispatch('catalog-sources'));
  return (payload as unknown as { sources: SourceView[] }).sources;
}

const save = (world: World, operationId: string, args: object) =>
  world.dispatch('catalog-source-save', { operationId, args: args as Json });

test(
  'two added libraries that list an add-on are a conflict; an added one wins over a shipped one',
  inWorld(
    async (world) => {
      const { library } = world.lifecycle;
      await start(world, true);
      await world.lifecycle.openLibrary();
      world.catalog.indexes.set('official', [testRelease('demo', '0.9.0', { sourceId: 'official' })]);
      for (const id of ['lib', 'official']) must(await library.refresh(id, SIGNAL));
      const listed = library.search({ text: 'demo', kind: 'addon', offset: 0, limit: 50 }).releases;
      assert.equal(
        listed.map(({ sourceId }) => sourceId),
        ['lib', 'lib'],
      );
      assert.is(await world.act('install', 'op-1', { sourceId: 'official', version: '0.9.0' }), 'library_conflict');
      await world.library([testRelease('demo', '5.0.0', { sourceId: 'second' })], 'second');
      must(await library.refresh('second', SIGNAL));
      assert.is(await world.install('op-2'), 'library_conflict');
      must(await library.remove('second'));
      assert.not.type(await world.install('op-3'), 'string');
    },
    (world) => {
      world.options = { shipped: [SHIPPED] };
    },
  ),
);

test(
  'the shipped library is there on a fresh root, goes where the process serves it, and stays away once removed',
  inWorld(
    async (world) => {
      await start(world, true);
      const shipped = world.lifecycle.library.find('official');
      assert.equal([shipped?.url, shipped?.default, shipped?.enabled], [SHIPPED.servedAt, true, true]);
      world.options = { shipped: [MOVED] };
      must(await world.boot());
      await start(world);
      assert.is(world.lifecycle.library.find('official')?.url, 'http://127.0.0.1:5000/index.yaml');
      assert.is(codeOf(await save(world, 'op-1', { id: 'official', name: 'Other' })), 'not_permitted');
      must(await save(world, 'op-2', { id: 'official', enabled: false }));
      assert.is(world.lifecycle.library.find('official')?.enabled, false);
      must(await world.lifecycle.library.remove('official'));
      must(await world.boot());
      await start(world);
      assert.is(world.lifecycle.library.find('official')?.removed, true);
      assert.equal(
        (await sourcesOf(world)).map(({ id }) => id),
        ['lib'],
      );
      must(await world.lifecycle.library.enable('official'));
      assert.is(world.lifecycle.library.find('official')?.removed, false);
    },
    (world) => {
      world.options = { shipped: [SHIPPED] };
    },
  ),
);

test(
  'an add-on of the shipped library keeps its identity when the port moves',
  inWorld(
    async (world) => {
      world.catalog.indexes.set('lib', []);
      await start(world, true);
      await world.lifecycle.openLibrary();
      world.catalog.indexes.set('official', [testRelease('demo', '1.0.0', { sourceId: 'official' })]);
      must(
        await world.dispatch('install', {
          addonId: 'demo',
          operationId: 'op-1',
          args: { sourceId: 'official', version: '1.0.0' },
        }),
      );
      world.options = { shipped: [MOVED] };
      must(await world.boot());
      world.catalog.indexes.set('official', [testRelease('demo', '1.1.0', { sourceId: 'official' })]);
      assert.not.type(await world.act('upgrade', 'op-2', { sourceId: 'official', version: '1.1.0' }), 'string');
      assert.is(findInstalled(world.store.visible, 'demo')?.version, '1.1.0');
    },
    (world) => {
      world.options = { shipped: [SHIPPED] };
    },
  ),
);

test.run();
