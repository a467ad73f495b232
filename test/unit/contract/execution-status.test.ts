import { decodeExecutionStatus, executionStatusOf } from '../../../src/contract/execution-status.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('execution status');
const GOOD = {
  readiness: 'available',
  isolation: 'isolated',
  explanation: 'Commands run apart.',
  networkPolicyEnforced: true,
};
const UNKNOWN = { readiness: 'unknown', isolation: 'unknown', networkPolicyEnforced: false };
const read = (value: unknown) => decodeExecutionStatus(typeof value === 'string' ? value : JSON.stringify(value));
const refused = (value: unknown) => {
  const { status, error } = read(value);
  assert.type(error, 'string', JSON.stringify(value));
  assert.equal(status, UNKNOWN);
};

test('the status is the payload of an ordinary result [EXECSTATUS-009]', () => {
  assert.equal(executionStatusOf({ payload: GOOD }), { status: GOOD });
  assert.type(executionStatusOf({}).error, 'string');
  assert.type(executionStatusOf({ payload: GOOD, outputs: [] }).error, 'string');
});

test('networkPolicyEnforced is false when absent [EXECSTATUS-010]', () => {
  const { networkPolicyEnforced: _, ...without } = GOOD;
  assert.is(read(without).status.networkPolicyEnforced, false);
});

test('enforcement counts only for a provider that is available and isolated [EXECSTATUS-012]', () => {
  assert.is(read(GOOD).status.networkPolicyEnforced, true);
  for (const other of [
    { isolation: 'host' },
    { isolation: 'unknown' },
    { readiness: 'unavailable' },
    { readiness: 'unknown' },
  ])
    assert.is(read({ ...GOOD, ...other }).status.networkPolicyEnforced, false, JSON.stringify(other));
});

test('a status has at most 2048 bytes of UTF-8 [EXECSTATUS-014]', () => {
  const text = JSON.stringify(GOOD);
  assert.is(read(text.padEnd(2_048)).error, undefined);
  refused(text.padEnd(2_049));
});

test('readiness is required and one of three words [EXECSTATUS-015]', () => {
  for (const readiness of ['available', 'unavailable', 'unknown'])
    assert.is(read({ ...GOOD, readiness }).status.readiness, readiness);
  for (const readiness of ['ready', '', null, true, 'Available']) refused({ ...GOOD, readiness });
  refused({ isolation: 'isolated' });
});

test('isolation is required and one of three words [EXECSTATUS-016]', () => {
  for (const isolation of ['isolated', 'host', 'unknown'])
    assert.is(read({ ...GOOD, isolation }).status.isolation, isolation);
  for (const isolation of ['vm', '', null, true]) refused({ ...GOOD, isolation });
  refused({ readiness: 'available' });
});

test('an explanation is plain text of 1 to 200 characters [EXECSTATUS-017]', () => {
  assert.is(read({ ...GOOD, explanation: '😀'.repeat(200) }).error, undefined);
  for (const explanation of ['', '😀'.repeat(201), '<b>', 'a\nb', 'a\u202eb', 7, null])
    refused({ ...GOOD, explanation });
});

test('unknown and repeated fields, trailing data, outputs and private fields are refused [EXECSTATUS-019]', () => {
  for (const more of [
    { ok: true },
    { backend: 'gvisor' },
    { warning: true },
    { outputs: [] },
    { Readiness: 'available' },
  ])
    refused({ ...GOOD, ...more });
  const text = JSON.stringify(GOOD);
  for (const wrong of [
    `${text}{}`,
    `${text} 1`,
    text.replace('{', '{"readiness":"available",'),
    '',
    '[]',
    'null',
    '"available"',
  ])
    refused(wrong);
});

test('anything but available makes the isolation unknown [EXECSTATUS-021]', () => {
  for (const readiness of ['unavailable', 'unknown'])
    assert.is(read({ ...GOOD, readiness }).status.isolation, 'unknown');
});

test.run();
