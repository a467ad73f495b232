import type { Json, JsonObject } from '../../../src/contract/json.js';
import { artifactView, operationStatus, proposalView } from '../../../src/contract/views.js';
import { assert, suite } from '../../support/harness.js';
import { change } from '../../support/manifests.js';
import { RECEIPT } from '../../support/messages.js';

const test = suite('views');
const AT = '2026-11-30T12:00:00Z';
const PROPOSAL: JsonObject = {
  id: 'op-1',
  state: 'pending',
  addonId: 'tables',
  resourceId: 'people',
  action: 'write',
  tool: 'insert-rows',
  generation: 1,
  revision: { schema: 1, data: 0 },
  arguments: { tool: 'insert-rows', rows: [] },
  effects: { count: 1, sample: [{ a: 1 }] },
  digest: `sha256:${'0'.repeat(64)}`,
  createdAt: AT,
  expiresAt: AT,
  proposer: { userId: 'local-owner' },
  via: { kind: 'local' },
};
const STATUS: JsonObject = {
  operationId: 'op-1',
  addonId: 'tables',
  action: 'enable',
  state: 'completed',
  generation: 1,
  runtimeState: 'not-observed',
};
const ARTIFACT: JsonObject = {
  id: 'a-1',
  state: 'complete',
  name: 'people.csv',
  mediaType: 'text/csv',
  size: 1,
  sources: ['people'],
  addonId: 'tables',
  generation: 1,
  createdAt: AT,
  expiresAt: AT,
};

test('each view takes exactly its fields', () => {
  for (const [codec, value, optional] of [
    [
      proposalView,
      PROPOSAL,
      { receipt: RECEIPT, blocked: true, blockedBy: 'op-0', rejection: { code: 'x', message: 'y' } },
    ],
    [operationStatus, STATUS, { error: { type: 'x', message: 'y' } }],
    [artifactView, ARTIFACT, { reason: 'x' }],
  ] as const) {
    assert.ok(codec.is(value));
    assert.ok(codec.is({ ...value, ...optional }));
    assert.not.ok(codec.is({ ...value, zz: 1 }));
    for (const field of Object.keys(value)) assert.not.ok(codec.is(change(value, field, undefined)), field);
    for (const field of Object.keys(value)) assert.not.ok(codec.is(change(value, field, [null] as Json)), field);
  }
});

test('an artifact view shows no path and no handle', () => {
  for (const name of ['../x', '/x', 'a\\b']) assert.not.ok(artifactView.is({ ...ARTIFACT, name }));
  assert.not.ok(artifactView.is({ ...ARTIFACT, handle: 'h' }));
});

test('a sample has at most 20 entries and a digest its one form', () => {
  assert.ok(
    proposalView.is(
      change(
        PROPOSAL,
        'effects.sample',
        Array.from({ length: 20 }, () => 1),
      ),
    ),
  );
  assert.not.ok(
    proposalView.is(
      change(
        PROPOSAL,
        'effects.sample',
        Array.from({ length: 21 }, () => 1),
      ),
    ),
  );
  assert.not.ok(proposalView.is({ ...PROPOSAL, digest: '0'.repeat(64) }));
  assert.not.ok(proposalView.is({ ...PROPOSAL, state: 'done' }));
});

test.run();
