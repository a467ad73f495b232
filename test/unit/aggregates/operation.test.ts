import { type OperationCommand, type OperationEvent, operation, settled } from '../../../src/aggregates/operation.js';
import { LOCAL_OWNER } from '../../../src/contract/actor.js';
import { fold, given } from '../../support/fold.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('operation aggregate');

const digest = `sha256:${'1'.repeat(64)}`;
const command = { action: 'install', addonId: 'demo', digest } as const;
const requested: OperationEvent = { type: 'OperationRequested', payload: { ...command, generation: 0 } };
const prepared: OperationEvent = { type: 'OperationPrepared', payload: { generation: 3 } };
const applied: OperationEvent = { type: 'OperationApplied', payload: {} };
const completed: OperationEvent = { type: 'OperationCompleted', payload: {} };
const failed: OperationEvent = { type: 'OperationFailed', payload: { code: 'release_not_found' } };

const HISTORIES: Readonly<Record<string, readonly OperationEvent[]>> = {
  none: [],
  intent: [requested],
  prepared: [requested, prepared],
  applied: [requested, prepared, applied],
  completed: [requested, prepared, applied, completed],
  failed: [requested, failed],
};

const COMMANDS: Readonly<Record<string, OperationCommand>> = {
  request: { type: 'request', ...command, generation: 0 },
  prepare: { type: 'prepare', generation: 3 },
  apply: { type: 'apply' },
  complete: { type: 'complete' },
  fail: { type: 'fail', code: 'release_not_found' },
};

/** Which command is taken in which phase; every pair that is not here is refused. */
const TAKEN = new Set([
  'none request',
  'intent prepare',
  'intent fail',
  'prepared apply',
  'prepared fail',
  'applied complete',
]);

test('each phase takes exactly its own next step, so nothing is completed without being applied [LIFECYCLE-027]', () => {
  for (const [phase, history] of Object.entries(HISTORIES))
    for (const [name, next] of Object.entries(COMMANDS)) {
      const decided = operation.decide(fold(operation, history), next);
      assert.is(decided._tag === 'Right', TAKEN.has(`${phase} ${name}`), `${phase} ${name}`);
    }
});

test('a failed operation takes no further step, under its id nothing is tried again [LIFECYCLE-025]', () => {
  for (const next of Object.values(COMMANDS))
    given(operation, [requested, failed]).when(next).thenRefused('operation_conflict');
});

test('the binding of an id is the actor, the action, the add-on and the digest of its request', () => {
  const state = fold(operation, [requested, prepared], { actor: LOCAL_OWNER });
  assert.equal(state, {
    phase: 'prepared',
    ...command,
    generation: 3,
    userId: 'local-owner',
    mode: 'local-owner',
    requestedAt: '2026-01-01T00:00:00.000Z',
  });
});

test('an operation recorded without an actor is bound to nobody', () => {
  const state = fold(operation, [requested]);
  assert.is(state.phase !== 'none' && state.mode, 'unknown');
});

test('a record takes all phases in one commit', () => {
  given(operation, [])
    .when({ type: 'record', ...command, result: '{}' })
    .thenEvents([
      requested,
      { type: 'OperationPrepared', payload: { generation: 0 } },
      applied,
      { type: 'OperationCompleted', payload: { result: '{}' } },
    ]);
  given(operation, [requested])
    .when({ type: 'record', ...command, result: '{}' })
    .thenRefused('operation_conflict');
});

test('only completed and failed operations are settled', () => {
  for (const [phase, history] of Object.entries(HISTORIES))
    assert.is(settled(fold(operation, history)), phase === 'completed' || phase === 'failed', phase);
});

test.run();
