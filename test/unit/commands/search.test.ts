import type { KnownSource } from '../../../src/aggregates/source.js';
import type { Listing } from '../../../src/commands/library/conflicts.js';
import { type SearchQuery, search } from '../../../src/commands/library/search.js';
import type { Release } from '../../../src/contract/api.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { codeOf, must, testRelease } from '../../support/lifecycle-world.js';

const test = suite('catalog search');

const source = (id: string, builtin = false): KnownSource => ({
  status: 'present',
  kind: 'addon',
  id,
  name: id,
  url: `https://${id}.test/i`,
  format: 'library',
  policy: { requireSignature: false },
  enabled: true,
  builtin,
});

const listing = (id: string, releases: readonly Release[], builtin = false): Listing => ({
  source: source(id, builtin),
  releases: releases.map((release) => ({ ...release, sourceId: id })),
});

const QUERY: SearchQuery = { text: '', kind: 'all', offset: 0, limit: 50, os: 'linux', arch: 'amd64' };
const idsOf = (listings: readonly Listing[], query: Partial<SearchQuery> = {}): readonly string[] =>
  search(listings, { ...QUERY, ...query }).releases.map(({ sourceId, id, version }) => `${sourceId}/${id}/${version}`);

const LIB = listing('lib', [
  testRelease('tables', '1.0.0', { name: 'Tables', description: 'Rows and COLUMNS' }),
  testRelease('notes', '1.0.0', { name: 'Notizbuch' }),
  testRelease('store', '1.0.0', { kind: 'backend' }),
  testRelease('tables', '1.0.0', { arch: 'arm64' }),
  testRelease('tables', '0.9.0'),
]);

test('a search matches names, ids and descriptions whatever their case, and sorts by source and release [CATALOG-046]', () => {
  assert.equal(idsOf([LIB], { text: 'TABLES' }), ['lib/tables/0.9.0', 'lib/tables/1.0.0']);
  assert.equal(idsOf([LIB], { text: 'columns' }), ['lib/tables/1.0.0']);
  assert.equal(idsOf([LIB], { text: 'notizBUCH' }), ['lib/notes/1.0.0']);
  assert.equal(idsOf([LIB], { text: 'nothing' }), []);
  const all = idsOf([listing('z', [testRelease('a', '1.0.0')]), LIB, listing('b', [testRelease('z', '1.0.0')])], {
    kind: 'addon',
  });
  assert.equal(all, [...all].sort());
});

test('only releases for the platform of the owner are listed, and total counts that set [MANAGE-005]', () => {
  const { releases, total } = search([LIB], { ...QUERY, kind: 'addon' });
  assert.equal([releases.length, total], [3, 3]);
  assert.equal(idsOf([LIB], { arch: 'arm64' }), ['lib/tables/1.0.0']);
});

test('a page is cut from the whole, and total stays that of the whole', () => {
  const many = listing(
    'lib',
    Array.from({ length: 120 }, (_, index) => testRelease(`a-${index + 100}`, '1.0.0')),
  );
  const { releases, total } = search([many], { ...QUERY, offset: 110, limit: 50 });
  assert.equal([releases.length, total, releases[0]?.id], [10, 120, 'a-210']);
  assert.equal(idsOf([many], { offset: 500 }), []);
});

test('add-ons by default, backends or all on request, one library on request [MANAGE-004] [BACKENDS-009]', () => {
  assert.equal(idsOf([LIB], { kind: 'backend' }), ['lib/store/1.0.0']);
  assert.is(idsOf([LIB], { kind: 'all' }).length, 4);
  assert.equal(idsOf([LIB, listing('b', [testRelease('z', '1.0.0')])], { sourceId: 'b' }), ['b/z/1.0.0']);
});

test('equal names of different libraries stay distinct results [CATALOG-045]', () => {
  const twin = listing('twin', [testRelease('other-id', '1.0.0', { name: 'Tables' })]);
  assert.is(idsOf([LIB, twin], { text: 'tables' }).length, 3);
});

test('an entry of a shipped library that an added one lists too is not offered', () => {
  const shipped = listing('official', [testRelease('tables', '2.0.0'), testRelease('web', '1.0.0')], true);
  assert.equal(idsOf([LIB, shipped], { text: '2.0.0' }), []);
  assert.ok(idsOf([LIB, shipped]).includes('official/web/1.0.0'));
  assert.not.ok(idsOf([LIB, shipped]).includes('official/tables/2.0.0'));
});

test(
  'the action has 50 results by default, at most 100, and refuses a limit beyond [CATALOG-047]',
  inWorld(async (world) => {
    await world.library(Array.from({ length: 130 }, (_, index) => testRelease(`a-${index}`, '1.0.0')));
    must(await world.lifecycle.library.refresh('lib', new AbortController().signal));
    const count = async (args: object) => {
      const { payload } = must(await world.dispatch('catalog-search', { args: args as never }));
      return (payload as unknown as { releases: unknown[] }).releases.length;
    };
    assert.is(await count({}), 50);
    assert.is(await count({ limit: 100 }), 100);
    for (const limit of [0, 101, -1, 1.5])
      assert.is(codeOf(await world.dispatch('catalog-search', { args: { limit } })), 'invalid_request', String(limit));
    for (const args of [{ offset: -1 }, { kind: 'model' }, { text: 7 }])
      assert.is(codeOf(await world.dispatch('catalog-search', { args: args as never })), 'invalid_request');
  }),
);

test.run();
