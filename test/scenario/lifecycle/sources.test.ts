import fc from 'fast-check';
import { FURTHER_DEFAULTS } from '../../../src/commands/library/shipped.js';
import type { SourceView } from '../../../src/contract/api.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, codeOf, must, testRelease, until, World } from '../../support/lifecycle-world.js';
import {
  add,
  catalog,
  list,
  OFFICIAL,
  one,
  release,
  restart,
  routes,
  ships,
  start,
} from '../../support/source-routes.js';

const test = suite('sources of all kinds');

const SIGNAL = new AbortController().signal;

test(
  'a first start registers one library of add-ons, official, and the defaults of the other kinds, all marked so [LIBRARY-001] [SOURCES-005] [BACKENDS-060]',
  inWorld(
    async (world) => {
      await start(world, true);
      const sources = await list(world);
      assert.equal(
        sources.filter(({ kind, default: shipped }) => kind === 'addon' && shipped).map(({ id }) => id),
        ['official'],
      );
      for (const id of ['official-backends', 'localai-backends', 'official-models', 'localai'])
        assert.is(sources.find((source) => source.id === id)?.default, true, id);
      assert.is((await one(world, 'lib')).default, false);
    },
    ships(OFFICIAL, ...FURTHER_DEFAULTS),
  ),
);

test(
  'a first start that was cut off is a first start again, and a later one adds no source [LIBRARY-027] [LIBRARY-028]',
  inWorld(async (world) => {
    await restart(world, OFFICIAL, ...FURTHER_DEFAULTS);
    assert.equal(
      (await list(world)).map(({ id }) => id),
      ['lib'],
    );
  }),
);

test(
  'the list has every field of every source, tombstones included, and enabled says what the server does now [SOURCES-030] [SOURCES-037] [SOURCES-038] [SOURCES-039]',
  inWorld(
    async (world) => {
      await start(world, true);
      must(await routes(world).remove(ADMIN, 'official'));
      must(await routes(world).switch(ADMIN, 'lib', 'disable'));
      const answer = must(await routes(world).sources(ADMIN));
      assert.equal(Object.keys(answer).sort(), ['officialLibraries', 'sources']);
      assert.is(answer.officialLibraries, true);
      for (const source of answer.sources)
        for (const field of [
          'kind',
          'id',
          'name',
          'url',
          'format',
          'enabled',
          'default',
          'removed',
          'suspended',
          'policy',
        ])
          assert.ok(field in source, `${source.id} ${field}`);
      assert.equal([(await one(world, 'official')).removed, (await one(world, 'official')).enabled], [true, false]);
      assert.equal([(await one(world, 'lib')).removed, (await one(world, 'lib')).enabled], [false, false]);
      assert.is((await one(world, 'official-backends')).enabled, true);
      must(await routes(world).switch(ADMIN, 'lib', 'enable'));
      await until(() => world.lifecycle.library.find('lib')?.refresh !== undefined);
      assert.is((await one(world, 'lib')).refresh?.count, 3);
    },
    ships(OFFICIAL, ...FURTHER_DEFAULTS),
  ),
);

test(
  'removing a default leaves a tombstone that outlives starts; turning it on brings it back [SOURCES-007] [SOURCES-008] [LIBRARY-026] [LIBRARY-029]',
  inWorld(async (world) => {
    await start(world, true);
    must(await routes(world).remove(ADMIN, 'official'));
    for (let starts = 0; starts < 2; starts += 1) {
      await restart(world);
      assert.equal([(await one(world, 'official')).removed, (await one(world, 'official')).enabled], [true, false]);
    }
    must(await routes(world).remove(ADMIN, 'official'));
    const back = must(await routes(world).switch(ADMIN, 'official', 'enable'));
    assert.equal([back.removed, back.enabled, back.default], [false, true, true]);
  }, ships(OFFICIAL)),
);

test(
  'the address of a removed default brings that default back, and no second one [LIBRARY-029] [BACKENDS-066]',
  inWorld(
    async (world) => {
      await start(world, true);
      for (const { id, kind, url } of [release('v1.0.0'), ...FURTHER_DEFAULTS]) {
        assert.is(codeOf(await routes(world).add(ADMIN, { kind, url })), 'operation_conflict', id);
        must(await routes(world).remove(ADMIN, id));
        const back = must(await routes(world).add(ADMIN, { kind, url, id: 'mine' }));
        assert.equal([back.id, back.default, back.removed, back.enabled], [id, true, false, true]);
      }
      assert.is((await list(world)).length, 6);
    },
    ships(release('v1.0.0'), ...FURTHER_DEFAULTS),
  ),
);

test(
  'removing an added source deletes it without a tombstone, and its id is free again [SOURCES-009]',
  inWorld(async (world) => {
    must(await routes(world).remove(ADMIN, 'lib'));
    assert.equal(await list(world), []);
    assert.is(codeOf(await routes(world).remove(ADMIN, 'lib')), 'not_found');
    must(await add(world, 'lib'));
  }),
);

test(
  'what is left out of a new source is chosen: an id from its host, its host as the name, a library as the format [SOURCES-031]',
  inWorld(async (world) => {
    const url = (host: string) => `https://${host}/index.yaml`;
    const added = async (kind: SourceView['kind'], host: string, path = '') =>
      must(await routes(world).add(ADMIN, { kind, url: `${url(host)}${path}` }));
    const first = await added('addon', 'Add-Ons.Example');
    assert.equal(
      [first.id, first.name, first.format, first.enabled],
      ['add-ons-example', 'add-ons.example', 'library', true],
    );
    assert.is((await added('backend', 'add-ons.example')).id, 'add-ons-example-2');
    assert.is((await added('addon', '10.0.0.7:8443')).id, 'lib-10-0-0-7-8443');
    const gallery = must(
      await routes(world).add(ADMIN, { kind: 'model', url: url('m.test'), id: 'm', name: 'M', format: 'gallery' }),
    );
    assert.equal([gallery.kind, gallery.id, gallery.name, gallery.format], ['model', 'm', 'M', 'gallery']);
  }),
);

test(
  'a source of add-ons is a library index; one of backends or models is that or a gallery [SOURCES-002]',
  inWorld(async (world) => {
    const added = (kind: SourceView['kind'], format: SourceView['format']) =>
      routes(world).add(ADMIN, { kind, format, url: `https://${kind}.test/${format}.yaml` });
    assert.is(codeOf(await added('addon', 'gallery')), 'invalid_request');
    must(await added('addon', 'library'));
    for (const kind of ['backend', 'model'] as const)
      for (const format of ['library', 'gallery'] as const) assert.is(must(await added(kind, format)).format, format);
  }),
);

test(
  'the same kind and address twice, or a taken id, is refused as a conflict; another kind of that address is not [SOURCES-032]',
  inWorld(async (world) => {
    must(await add(world, 'a', 'https://a.test/i.yaml'));
    assert.is(codeOf(await add(world, 'b', 'https://a.test/i.yaml')), 'operation_conflict');
    assert.is(codeOf(await add(world, 'a', 'https://other.test/i.yaml')), 'operation_conflict');
    must(await add(world, 'b', 'https://a.test/i.yaml', 'backend'));
  }),
);

test(
  'plain http to this machine is refused over the route whatever its name, like an address with credentials or a query [SOURCES-033]',
  inWorld(async (world) => {
    for (const url of [
      'http://127.0.0.1:9/i.yaml',
      'http://[::1]:9/i.yaml',
      'http://localhost:9/i.yaml',
      'http://far.test/i.yaml',
      'https://u:p@far.test/i.yaml',
      'https://far.test/i.yaml?x=1',
      'file:///etc/passwd',
      'nonsense',
      '',
    ])
      for (const kind of ['addon', 'backend', 'model'] as const)
        assert.is(codeOf(await add(world, 'bad', url, kind)), 'invalid_request', url);
    assert.equal(
      (await list(world)).map(({ id }) => id),
      ['lib'],
    );
  }),
);

test(
  'a source that is new or turned on is read at once, in the background; a failure stands in its refresh state',
  inWorld(async (world) => {
    world.catalog.indexes.set('far', [testRelease('far', '1.0.0', { sourceId: 'far' })]);
    assert.is(must(await add(world, 'far')).refresh, undefined);
    await until(() => world.lifecycle.library.find('far')?.refresh !== undefined);
    assert.equal(await catalog(world), ['far/far']);
    must(await routes(world).switch(ADMIN, 'far', 'disable'));
    assert.equal(await catalog(world), []);
    world.catalog.failing.add('far');
    must(await routes(world).switch(ADMIN, 'far', 'enable'));
    await until(() => world.lifecycle.library.find('far')?.refresh?.failed === true);
    assert.match((await one(world, 'far')).refresh?.message ?? '', /could not be read/);
  }),
);

test(
  'two added sources that list one add-on conflict until one is off or removed: neither installs it, both say so [SOURCES-017] [SOURCES-018]',
  inWorld(async (world) => {
    await world.library([testRelease('demo', '5.0.0', { sourceId: 'second' })], 'second');
    for (const id of ['lib', 'second']) must(await world.lifecycle.library.refresh(id, SIGNAL));
    assert.match((await one(world, 'lib')).conflict ?? '', /second lists demo too/);
    assert.match((await one(world, 'second')).conflict ?? '', /lib lists demo too/);
    assert.is(await world.install('op-1'), 'library_conflict');
    assert.is(await world.act('install', 'op-2', { sourceId: 'second', version: '5.0.0' }), 'library_conflict');
    assert.is(world.packages.staged, 0);
    must(await routes(world).switch(ADMIN, 'second', 'disable'));
    assert.is((await one(world, 'lib')).conflict, undefined);
    assert.not.type(await world.install('op-3'), 'string');
  }),
);

test(
  'the official libraries are switched together and at once; off, they are kept, marked, and used for nothing [SOURCES-020] [SOURCES-021] [SOURCES-022] [SOURCES-024] [SOURCES-025]',
  inWorld(
    async (world) => {
      await start(world, true);
      world.catalog.indexes.set('official', [testRelease('web', '1.0.0', { sourceId: 'official' })]);
      await world.lifecycle.openLibrary();
      assert.ok((await catalog(world)).includes('official/web'));
      assert.equal(must(await routes(world).change(ADMIN, { official_libraries: false })), {
        official_libraries: false,
      });
      const sources = await list(world);
      for (const source of sources)
        assert.equal([source.suspended, source.default && source.enabled], [source.default, false], source.id);
      assert.is(must(await routes(world).sources(ADMIN)).officialLibraries, false);
      assert.is((await one(world, 'lib')).enabled, true);
      assert.equal(new Set(await catalog(world)), new Set(['lib/demo', 'lib/other']));
      assert.is(
        await world.act('install', 'op-1', { sourceId: 'official', version: '1.0.0' }, 'web'),
        'library_unavailable',
      );
      const fetched = world.catalog.fetched.length;
      assert.is(codeOf(await world.lifecycle.library.refresh('official', SIGNAL)), 'library_unavailable');
      assert.is(world.catalog.fetched.length, fetched);
      await restart(world);
      assert.is((await one(world, 'official')).suspended, true);
      must(await routes(world).change(ADMIN, { official_libraries: true }));
      assert.not.type(await world.act('install', 'op-2', { sourceId: 'official', version: '1.0.0' }, 'web'), 'string');
    },
    ships(OFFICIAL, ...FURTHER_DEFAULTS),
  ),
);

test('the flag counts until somebody switched the official libraries in the page', async () => {
  const world = await World.open((fresh) => {
    fresh.options = { shipped: [OFFICIAL], officialLibraries: false };
  });
  await start(world, true);
  assert.is(must(await routes(world).settings(ADMIN)).official_libraries, false);
  must(await routes(world).change(ADMIN, {}));
  must(await routes(world).change(ADMIN, { official_libraries: true }));
  await world.boot();
  assert.is(must(await routes(world).settings(ADMIN)).official_libraries, true);
});

test('turning the official libraries off and on restores exactly what each default was [SOURCES-023]', async () => {
  const ids = [OFFICIAL, ...FURTHER_DEFAULTS].map(({ id }) => id);
  const step = fc.record({ id: fc.constantFrom(...ids), to: fc.constantFrom('enable', 'disable', 'remove') });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.nat(8), async (steps, cut) => {
      const run = async (suspendedFrom: number) => {
        const world = await World.open(ships(OFFICIAL, ...FURTHER_DEFAULTS));
        await start(world, true);
        for (const [at, { id, to }] of steps.entries()) {
          if (at === suspendedFrom) must(await routes(world).change(ADMIN, { official_libraries: false }));
          if (to === 'remove') must(await routes(world).remove(ADMIN, id));
          else must(await routes(world).switch(ADMIN, id, to as 'enable' | 'disable'));
        }
        must(await routes(world).change(ADMIN, { official_libraries: true }));
        const states = (await list(world)).map(({ id, enabled, removed, suspended }) => [
          id,
          enabled,
          removed,
          suspended,
        ]);
        world.close();
        return states;
      };
      assert.equal(await run(cut), await run(-1));
    }),
    { numRuns: 25 },
  );
});

test(
  'the first start records address and signer of the build, and the next build moves both [LIBRARY-011] [LIBRARY-012]',
  inWorld(
    async (world) => {
      await start(world, true);
      must(await routes(world).switch(ADMIN, 'official', 'disable'));
      const before = await one(world, 'official');
      assert.equal([before.url, before.policy], [release('v1.0.0').url, release('v1.0.0').policy]);
      await restart(world, release('v1.1.0'));
      const after = await one(world, 'official');
      assert.equal([after.url, after.policy, after.enabled], [release('v1.1.0').url, release('v1.1.0').policy, false]);
      const position = world.store.journal.head().position;
      await restart(world, release('v1.1.0'));
      assert.is(world.store.journal.head().position, position);
      await restart(world, OFFICIAL);
      assert.is((await one(world, 'official')).url, OFFICIAL.servedAt);
    },
    ships(release('v1.0.0')),
  ),
);

test(
  'an official library that was pointed at another address is left as it is by every later build [LIBRARY-013]',
  inWorld(async (world) => {
    await start(world, true);
    const policy = { requireSignature: true, issuer: 'https://issuer.test', identity: 'https://signer.test' };
    const args = { id: 'official', url: 'https://mirror.test/i.yaml', policy };
    must(await world.dispatch('catalog-source-save', { operationId: 'op-1', args }));
    await restart(world, release('v1.1.0'));
    const { url, policy: kept, default: shipped } = await one(world, 'official');
    assert.equal([url, kept, shipped], [args.url, policy, true]);
    const [source] = world.lifecycle.library.sources.list().filter(({ id }) => id === 'official');
    assert.is(source && world.lifecycle.library.sources.identity(source), args.url);
  }, ships(OFFICIAL)),
);

test(
  'an install from a library whose policy has a signer pattern is refused before the library is read [BACKENDS-034]',
  inWorld(async (world) => {
    const policy = {
      requireSignature: true,
      issuer: 'https://issuer.test',
      identityRegex: '^https://signer\\.test/x$',
    };
    const args = { id: 'lib', url: 'https://lib.test/index.yaml', policy };
    must(await world.dispatch('catalog-source-save', { operationId: 'op-1', args }));
    const fetched = world.catalog.fetched.length;
    assert.is(await world.install('op-2'), 'package_unverified');
    assert.equal([world.packages.staged, world.catalog.fetched.length], [0, fetched]);
  }),
);

test(
  'a gallery or a source of models has nothing to edit, and keeps its kind when a backend library is edited',
  inWorld(
    async (world) => {
      await start(world, true);
      const save = (operationId: string, id: string, url: string) =>
        world.dispatch('catalog-source-save', { operationId, args: { id, url, policy: { requireSignature: false } } });
      assert.is(codeOf(await save('op-1', 'localai-backends', 'https://x.test/i.yaml')), 'invalid_request');
      assert.is(codeOf(await save('op-2', 'official-models', 'https://x.test/i.yaml')), 'invalid_request');
      must(await save('op-3', 'official-backends', 'https://mirror.test/i.yaml'));
      const { kind, default: shipped, url } = await one(world, 'official-backends');
      assert.equal([kind, shipped, url], ['backend', true, 'https://mirror.test/i.yaml']);
    },
    ships(OFFICIAL, ...FURTHER_DEFAULTS),
  ),
);

test(
  'a fresh server reads its own library and nothing on the network unasked; a backend library offers no add-on',
  inWorld(
    async (world) => {
      await start(world, true);
      world.catalog.indexes.set('official-backends', [
        testRelease('smuggled', '1.0.0', { sourceId: 'official-backends' }),
      ]);
      await world.lifecycle.openLibrary();
      assert.equal(new Set(world.catalog.fetched), new Set(['lib', 'official']));
      must(await world.lifecycle.library.refresh('official-backends', SIGNAL));
      assert.not.ok((await catalog(world)).includes('official-backends/smuggled'));
    },
    ships(OFFICIAL, ...FURTHER_DEFAULTS),
  ),
);

test.run();
