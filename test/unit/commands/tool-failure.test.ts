/** What the model is told of a call that was refused. */

import { callRefusal } from '../../../src/commands/addon-call.js';
import { toolFailure } from '../../../src/commands/tool-failure.js';
import { left } from '../../../src/contract/fp.js';
import { errorOf, refuse } from '../../../src/contract/refusal.js';
import { interpret } from '../../../src/process/answers.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('tool failure');
const CODES = { unavailable: 'unavailable', timeout: 'timeout', conflict: 'unavailable' } as const;

test('a limited add-on answers 429, and the caller gets 429 with the same seconds [CREDENTIAL-020]', () => {
  const answer = { kind: 'answer', status: 429, retryAfter: '17', body: Buffer.alloc(0) } as const;
  const failure = interpret(answer, () => left('not read'));
  assert.equal(failure, left({ kind: 'busy', retryAfter: 17 }));
  if (failure._tag === 'Right') throw new Error('answered');
  const { status, body } = errorOf(callRefusal(failure.left, CODES));
  assert.is(status, 429);
  assert.is(body.error.retryAfter, 17);
});

test('the model of a limited call is told the code, the seconds and not to try again before [CREDENTIAL-021]', () => {
  const told = toolFailure(callRefusal({ kind: 'busy', retryAfter: 17 }, CODES));
  assert.is(told.code, 'rate_limited');
  assert.is(told.retryAfter, 17);
  assert.is(told.note, 'Do not call this tool again before 17 seconds have passed.');
  assert.is(toolFailure(refuse('busy', 'Later.')).note, 'Do not call this tool again before 1 second has passed.');
});

test('every other refusal keeps its own code and words', () => {
  assert.equal(toolFailure(refuse('resource_unreachable', 'Gone.')), {
    kind: 'error',
    code: 'resource_unreachable',
    message: 'Gone.',
  });
  assert.is(toolFailure(refuse('denied', 'No.')).code, 'denied');
  assert.is(toolFailure(refuse('outcome_unknown', 'Unknown.', { operationId: 'x' })).code, 'outcome_unknown');
});

test.run();
