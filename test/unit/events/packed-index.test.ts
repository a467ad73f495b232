import fc from 'fast-check';
import { findPacked, indexKey, packEntries } from '../../../src/events/lmdb/packed-index.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('packed index');
const name = fc.stringMatching(/^[a-c]{1,3}$/);
const entry = fc.record({ name, position: fc.integer({ min: 1, max: 0xffff_ffff }) });

test('a bucket answers exactly the positions of each name, ascending', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 200 }), name, (entries, wanted) => {
      const packed = packEntries(entries);
      const expected = entries.filter((one) => one.name === wanted).map((one) => one.position);
      assert.equal(
        findPacked(packed, indexKey(wanted)),
        expected.sort((a, b) => a - b),
      );
    }),
    { numRuns: 500 },
  );
});

test.run();
