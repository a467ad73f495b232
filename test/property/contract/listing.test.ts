import fc from 'fast-check';
import type { JsonObject } from '../../../src/contract/json.js';
import { type ListedGrant, listResources } from '../../../src/contract/resource-listing.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('resource listing');
const grant: fc.Arbitrary<ListedGrant> = fc.record({
  resourceId: fc.nat({ max: 400 }).map((n) => `r${n}`),
  userId: fc.constantFrom('ada', 'bob', 'eve'),
  role: fc.constantFrom('viewer', 'editor', 'owner'),
});
/** One person holds one grant on a resource. */
const grants = fc.uniqueArray(grant, { selector: (one) => `${one.userId} ${one.resourceId}`, maxLength: 500 });

test('at most 100 entries, in the order of resource ids [LISTING-008]', () => {
  fc.assert(
    fc.property(grants, fc.constantFrom('ada', 'bob'), (all, user) => {
      const { items, truncated } = listResources(all, user, 'items') as {
        items: { resourceId: string }[];
        truncated: boolean;
      };
      const ids = items.map(({ resourceId }) => resourceId);
      const mine = all
        .filter(({ userId }) => userId === user)
        .map(({ resourceId }) => resourceId)
        .sort();
      assert.equal(ids, mine.slice(0, 100));
      assert.is(truncated, mine.length > 100);
    }),
  );
});

test("only the caller's own and shared resources, with the caller's role [LISTING-013]", () => {
  fc.assert(
    fc.property(grants, fc.constantFrom('ada', 'bob', 'nobody'), (all, user) => {
      const { items } = listResources(all, user, 'items') as { items: JsonObject[] };
      for (const { resourceId, role } of items)
        assert.ok(all.some((one) => one.userId === user && one.resourceId === resourceId && one.role === role));
    }),
  );
});

test.run();
