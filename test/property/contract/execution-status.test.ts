import fc from 'fast-check';
import { decodeExecutionStatus } from '../../../src/contract/execution-status.js';
import { assert, suite } from '../../support/harness.js';
import {
  duplicate,
  duplicateEscaped,
  recase,
  rename,
  trailingComma,
  unknown,
  writeWith,
} from '../../support/json-mutations.js';

const test = suite('execution status properties');
const GOOD = { readiness: 'available', isolation: 'isolated', explanation: 'Apart.', networkPolicyEnforced: true };
const UNKNOWN = { readiness: 'unknown', isolation: 'unknown', networkPolicyEnforced: false };
const field = fc.constantFrom(...Object.keys(GOOD));

test('unknown and repeated fields and trailing JSON are errors in every place [EXECSTATUS-018]', () => {
  fc.assert(
    fc.property(
      field,
      fc.constantFrom(unknown, rename, recase, duplicate, duplicateEscaped, trailingComma),
      (key, edit) => {
        assert.type(decodeExecutionStatus(writeWith(GOOD, { path: [], key }, edit)).error, 'string');
      },
    ),
  );
  fc.assert(
    fc.property(fc.json({ maxDepth: 2 }), (more) => {
      assert.type(decodeExecutionStatus(`${JSON.stringify(GOOD)}${more}`).error, 'string');
    }),
  );
});

test('an invalid report gives an error and unknown throughout, never a part of it [EXECSTATUS-020]', () => {
  fc.assert(
    fc.property(field, fc.jsonValue({ maxDepth: 2 }), (key, value) => {
      const { status, error } = decodeExecutionStatus(JSON.stringify({ ...GOOD, [key]: value }));
      if (error !== undefined) assert.equal(status, UNKNOWN);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const { status, error } = decodeExecutionStatus(text);
      if (error !== undefined) assert.equal(status, UNKNOWN);
    }),
    { numRuns: 500 },
  );
});

test.run();
