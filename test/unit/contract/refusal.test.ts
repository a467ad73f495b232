import { errorOf, type RefusalCode, refuse } from '../../../src/contract/refusal.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('the table of refusals');
const seen = (code: RefusalCode) => {
  const { status, body } = errorOf(refuse(code, 'why'));
  return [status, body.error.type, body.error.code];
};

test('missing authentication is 401 [WIRE-037]', () => {
  assert.equal(seen('unauthenticated'), [401, 'addon_error', 'unauthenticated']);
});

test('a denial is 403, with one body for all of its reasons [WIRE-038]', () => {
  assert.equal(seen('denied'), [403, 'addon_error', 'denied']);
  assert.equal(seen('resource_unreachable'), [403, 'resource_unreachable', undefined]);
});

test('a stale revision and a conflicting operation id are 409 [WIRE-040]', () => {
  assert.equal(seen('stale'), [409, 'stale', undefined]);
  assert.equal(seen('operation_conflict'), [409, 'operation_conflict', undefined]);
});

test('an expired proposal is 410, too much is 413, a full queue 429, an absent owner 503', () => {
  assert.equal(seen('proposal_expired'), [410, 'proposal_closed', undefined]);
  assert.equal(seen('too_large'), [413, 'too_large', undefined]);
  assert.equal(seen('busy'), [429, 'busy', undefined]);
  assert.equal(seen('unavailable'), [503, 'addon_error', 'unavailable']);
});

test('a read that timed out is 504, a mutation that did is an unknown outcome', () => {
  assert.equal(seen('timeout'), [504, 'addon_error', 'timeout']);
  assert.equal(seen('outcome_unknown'), [503, 'outcome_unknown', undefined]);
});

test('the body carries the message, the details and nothing else', () => {
  const { body } = errorOf(refuse('quota_reached', 'Too many.', { code: 'live_proposals', operationId: 'a-1' }));
  assert.equal(body, {
    error: { type: 'quota_reached', message: 'Too many.', code: 'live_proposals', operationId: 'a-1' },
  });
});
test.run();
