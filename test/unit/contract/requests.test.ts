import type { Json, JsonObject } from '../../../src/contract/json.js';
import { readDispatch, readProposal } from '../../../src/contract/requests.js';
import { assert, suite } from '../../support/harness.js';
import { change } from '../../support/manifests.js';

const test = suite('requests');
const READ: JsonObject = { addonId: 'tables', operationId: 'op-1', generation: 1, action: 'read', arguments: {} };
const PROPOSAL: JsonObject = { ...READ, resourceId: 'people', action: 'write' };
const dispatch = (path: string, to: Json | undefined, base = READ) => {
  const result = readDispatch(JSON.stringify(change(base, path, to)));
  return result._tag === 'Left' ? result.left.refusal : 'ok';
};
const propose = (path: string, to: Json | undefined, base = PROPOSAL) => {
  const result = readProposal(JSON.stringify(change(base, path, to)));
  return result._tag === 'Left' ? result.left.refusal : 'ok';
};

test('a read names add-on and generation; lifecycle and library actions may leave them out', () => {
  assert.is(dispatch('arguments.tool', 'x'), 'ok');
  for (const [path, to] of [
    ['generation', 0],
    ['generation', undefined],
    ['addonId', undefined],
    ['addonId', ''],
  ] as const) {
    assert.is(dispatch(path, to), 'invalid_request', path);
    assert.is(dispatch(path, to, { ...READ, action: 'install' }), 'ok', path);
  }
  const bare = readDispatch('{"operationId":"o","action":"catalog-search","arguments":{}}');
  assert.equal(bare._tag === 'Right' && bare.right.value, {
    operationId: 'o',
    action: 'catalog-search',
    arguments: {},
    addonId: '',
    generation: 0,
  });
});

test('malformed ids, generations, actions and members are 400', () => {
  for (const bad of ['Op', '', '../x', 7, null, `a${'b'.repeat(64)}`]) {
    assert.is(dispatch('operationId', bad), 'invalid_request');
    assert.is(dispatch('action', bad), 'invalid_request');
    assert.is(propose('operationId', bad), 'invalid_request');
    assert.is(propose('addonId', bad), 'invalid_request');
  }
  for (const bad of [-1, 1.5, '1', null, 2 ** 53]) {
    assert.is(dispatch('generation', bad), 'invalid_request');
    assert.is(propose('generation', bad), 'invalid_request');
  }
  assert.is(propose('generation', 0), 'invalid_request');
  assert.is(dispatch('approved', true), 'invalid_request');
  assert.is(propose('Credential', 'x'), 'invalid_request');
});

test('a creation names no resource and every other change names one', () => {
  assert.is(propose('arguments.tool', 'x'), 'ok');
  assert.is(propose('resourceId', undefined), 'invalid_request');
  assert.is(propose('resourceId', ''), 'invalid_request');
  assert.is(propose('action', 'create'), 'invalid_request');
  assert.is(propose('resourceId', undefined, { ...PROPOSAL, action: 'create' }), 'ok');
  for (const action of ['read', 'delete', 'undo', 'action'])
    assert.is(propose('action', action), 'invalid_request', action);
});

test.run();
