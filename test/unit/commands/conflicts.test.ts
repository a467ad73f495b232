import fc from 'fast-check';
import type { KnownSource } from '../../../src/aggregates/source.js';
import { Conflicts, type Listing } from '../../../src/commands/library/conflicts.js';
import { assert, suite } from '../../support/harness.js';
import { testRelease } from '../../support/lifecycle-world.js';

const test = suite('conflicts of libraries');

const listing = (id: string, builtin: boolean, entries: readonly string[], kind: 'addon' | 'backend' = 'addon') => ({
  source: {
    status: 'present',
    kind: 'addon',
    id,
    name: id,
    url: `https://${id}.test/i`,
    format: 'library',
    policy: { requireSignature: false },
    enabled: true,
    builtin,
  } satisfies KnownSource,
  releases: entries.map((entry) => testRelease(entry, '1.0.0', { sourceId: id, kind })),
});
const addon = (id: string) => ({ kind: 'addon', id }) as const;

test('an added library wins over a default, which is ignored for that entry only [SOURCES-016]', () => {
  const mine = listing('mine', false, ['tables', 'notes']);
  const official = listing('official', true, ['tables', 'web']);
  const conflicts = new Conflicts([official, mine]);
  assert.is(conflicts.of(official.source, addon('tables')), 'overridden');
  assert.is(conflicts.of(official.source, addon('web')), undefined);
  assert.is(conflicts.of(mine.source, addon('tables')), undefined);
  assert.match(conflicts.messageFor(official.source) ?? '', /^Not used for tables: mine lists the same/);
  assert.is(conflicts.messageFor(mine.source), undefined);
});

test('of two added libraries none wins, and each says which other one and what; more than three are counted [SOURCES-018]', () => {
  const entries = ['a', 'b', 'c', 'd', 'e'];
  const [one, two] = [listing('one', false, entries), listing('two', false, [...entries, 'alone'])];
  const conflicts = new Conflicts([one, two]);
  assert.is(conflicts.of(one.source, addon('a')), 'conflict');
  assert.is(conflicts.of(two.source, addon('alone')), undefined);
  assert.match(conflicts.messageFor(one.source) ?? '', /^two lists a, b, c and 2 more too/);
  assert.match(conflicts.messageFor(two.source) ?? '', /^one lists a, b, c and 2 more too/);
});

test('an add-on and a backend of one name are two entries, and two releases of one library are none [SOURCES-019]', () => {
  const addons = listing('one', false, ['store', 'store']);
  const backends = listing('two', false, ['store'], 'backend');
  const conflicts = new Conflicts([addons, backends]);
  assert.is(conflicts.of(addons.source, addon('store')), undefined);
  // A gallery is never read as an index, so it has no listing to clash with.
  assert.is(conflicts.messageFor(backends.source), undefined);
});

test('whatever is listed, at most one library may be used for an entry, unless only defaults list it', () => {
  const library = fc.record({ builtin: fc.boolean(), entries: fc.array(fc.constantFrom('a', 'b', 'c')) });
  fc.assert(
    fc.property(fc.array(library, { maxLength: 5 }), (libraries) => {
      const listings: Listing[] = libraries.map(({ builtin, entries }, at) => listing(`lib-${at}`, builtin, entries));
      const conflicts = new Conflicts(listings);
      for (const id of ['a', 'b', 'c']) {
        const lists = listings.filter(({ releases }) => releases.some((release) => release.id === id));
        const usable = lists.filter(({ source }) => conflicts.of(source, addon(id)) === undefined);
        const added = lists.filter(({ source }) => !source.builtin);
        assert.is(usable.length, added.length === 0 ? lists.length : added.length === 1 ? 1 : 0);
      }
    }),
  );
});

test.run();
