import {
  decodePreview,
  decodeReceipt,
  decodeRegistration,
  decodeResult,
  registrationDifference,
} from '../../../src/contract/answers.js';
import { admitEnvelope, decodeEnvelope } from '../../../src/contract/envelope.js';
import type { Json, JsonObject } from '../../../src/contract/json.js';
import { DEFAULT_LIMITS, limitsFrom } from '../../../src/contract/limits.js';
import { assert, suite } from '../../support/harness.js';
import { change } from '../../support/manifests.js';
import { ENVELOPE, OUTPUT, PREVIEW, RECEIPT, REGISTRATION, RESULT } from '../../support/messages.js';

const test = suite('wire');
const bytes = (value: Json | string) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

const envelope = (value: Json) => decodeEnvelope(bytes(value))._tag === 'Right';
const withRequest = (path: string, to: Json | undefined) => envelope(change(ENVELOPE, `request.${path}`, to));
const withAuthority = (path: string, to: Json | undefined) => envelope(change(ENVELOPE, `authority.${path}`, to));
const result = (value: Json) => decodeResult(bytes(value))._tag === 'Right';
const preview = (path: string, to: Json | undefined) =>
  decodePreview(bytes(change(PREVIEW, path, to)))._tag === 'Right';
const receipt = (path: string, to: Json | undefined) =>
  decodeReceipt(bytes(change(RECEIPT, path, to)))._tag === 'Right';
const output = (path: string, to: Json | undefined) => result({ outputs: [change(OUTPUT, path, to)] });

test('every shape of the wire is read back as it was written [WIRE-001]', () => {
  const text = JSON.stringify(ENVELOPE);
  const read = decodeEnvelope(bytes(text));
  assert.is(read._tag === 'Right' && JSON.stringify(read.right), text);
  for (const [decode, value] of [
    [decodeResult, RESULT],
    [decodePreview, PREVIEW],
    [decodeReceipt, RECEIPT],
    [decodeRegistration, REGISTRATION],
  ] as const) {
    const decoded = decode(bytes(value));
    assert.is(decoded._tag === 'Right' && JSON.stringify(decoded.right), JSON.stringify(value));
  }
});

test('an envelope is exactly a request and an authority [WIRE-005]', () => {
  assert.ok(envelope(ENVELOPE));
  assert.not.ok(envelope(change(ENVELOPE, 'request', undefined)));
  assert.not.ok(envelope(change(ENVELOPE, 'authority', undefined)));
  assert.not.ok(envelope(change(ENVELOPE, 'approved', true)));
  for (const value of [[], null, 'x', 1]) assert.not.ok(envelope(value));
});

test('a request has an add-on, an operation, a generation from 1, an action and an object of arguments [WIRE-006]', () => {
  for (const field of ['addonId', 'operationId', 'generation', 'action', 'arguments'])
    assert.not.ok(withRequest(field, undefined), field);
  assert.ok(withRequest('resourceId', undefined));
  assert.ok(withRequest('resourceId', ''));
  for (const value of [0, -1, 1.5, '1', null, 2 ** 53]) assert.not.ok(withRequest('generation', value), String(value));
  for (const value of [[], null, 'x', 1]) assert.not.ok(withRequest('arguments', value));
  for (const value of ['', 'Tables', '../x', 'a/b', 'a b', '1a', `a${'b'.repeat(64)}`, 1, null]) {
    assert.not.ok(withRequest('addonId', value), String(value));
    assert.not.ok(withRequest('operationId', value), String(value));
    if (value !== '') assert.not.ok(withRequest('resourceId', value), String(value));
  }
  assert.not.ok(withRequest('credential', 'x'));
});

test('an authority has an actor, a scope and an RFC 3339 expiry [WIRE-007]', () => {
  for (const field of ['actor', 'scope', 'expiresAt', 'actor.userId', 'actor.credentialId', 'actor.mode'])
    assert.not.ok(withAuthority(field, undefined), field);
  assert.not.ok(withAuthority('approved', true));
  assert.not.ok(withAuthority('actor.administrator', true));
  for (const good of ['2026-02-28T00:00:00Z', '2024-02-29T23:59:59.123456789Z', '2026-01-01T00:00:00+05:30'])
    assert.ok(withAuthority('expiresAt', good), good);
  for (const bad of [
    '',
    'now',
    '2026-11-30',
    '2026-11-30 12:00:00Z',
    '2026-11-30T12:00:00',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-11-30T24:00:00Z',
    '2026-11-30T12:60:00Z',
    '2026-11-30T12:00:00.Z',
    'Mon, 30 Nov 2026 12:00:00 GMT',
    '0001-01-01T00:00:00Z',
    1_764_504_000,
    null,
  ])
    assert.not.ok(withAuthority('expiresAt', bad), String(bad));
});

test('the mode is named-user or an explicit local-owner [WIRE-008]', () => {
  for (const good of ['named-user', 'local-owner']) assert.ok(withAuthority('actor.mode', good));
  for (const bad of ['', 'Local-Owner', 'anonymous', null, 1, 'toString'])
    assert.not.ok(withAuthority('actor.mode', bad));
});

test('the scope is one of five words [WIRE-009]', () => {
  for (const good of ['read', 'preview', 'apply', 'output']) assert.ok(withAuthority('scope', good));
  for (const bad of ['', 'Read', 'admin', '*', null, 'constructor']) assert.not.ok(withAuthority('scope', bad));
});

test('scope act and action act go together only [WIRE-010]', () => {
  assert.not.ok(withAuthority('scope', 'act'));
  assert.not.ok(withRequest('action', 'act'));
  assert.ok(envelope(change(change(ENVELOPE, 'request.action', 'act'), 'authority.scope', 'act')));
});

test('reading an envelope does not look at the clock, admission does [WIRE-014] [WIRE-015]', () => {
  const old = decodeEnvelope(bytes(change(ENVELOPE, 'authority.expiresAt', '1999-01-01T00:00:00Z')));
  assert.is(old._tag, 'Right');
  if (old._tag === 'Left') return;
  const expiry = Date.parse('1999-01-01T00:00:00Z');
  assert.is(admitEnvelope(old.right, expiry - 1, DEFAULT_LIMITS), undefined);
  assert.type(admitEnvelope(old.right, expiry, DEFAULT_LIMITS), 'string');
  assert.type(admitEnvelope(old.right, expiry + 1, DEFAULT_LIMITS), 'string');
  assert.type(admitEnvelope(old.right, expiry - 1, { ...DEFAULT_LIMITS, envelopeBytes: 100 }), 'string');
});

test('a preview names its operation, revision, expiry and summary and nothing else [WIRE-018]', () => {
  for (const field of ['operationId', 'revision', 'expiresAt', 'summary'])
    assert.not.ok(preview(field, undefined), field);
  assert.not.ok(preview('confirmed', true));
  assert.ok(preview('summary', null));
  assert.ok(preview('summary', [1, 'x']));
});

test('a schema revision is never zero and a data revision may be [WIRE-019]', () => {
  for (const bad of [0, -1, 0.5, '1', null]) assert.not.ok(preview('revision.schema', bad));
  for (const bad of [-1, 0.5, '1', null]) assert.not.ok(preview('revision.data', bad));
  assert.ok(preview('revision.data', 0));
  assert.not.ok(preview('revision.more', 1));
});

test('a receipt names its operation, state and revision, and perhaps a result [WIRE-021] [WIRE-022]', () => {
  for (const field of ['operationId', 'state', 'revision']) assert.not.ok(receipt(field, undefined), field);
  assert.ok(receipt('result', undefined));
  assert.not.ok(receipt('result', null));
  for (const good of ['pending', 'committed', 'rejected', 'unknown']) assert.ok(receipt('state', good), good);
  for (const bad of ['', 'ok', 'Committed', 'applied', null, 'valueOf']) assert.not.ok(receipt('state', bad));
});

test('a committed receipt needs a schema revision, the other states do not [WIRE-024]', () => {
  assert.not.ok(receipt('revision.schema', 0));
  for (const state of ['pending', 'rejected', 'unknown'])
    assert.is(decodeReceipt(bytes(change(change(RECEIPT, 'revision.schema', 0), 'state', state)))._tag, 'Right', state);
});

test('a result has an optional payload and outputs of handle, name, media type and size [WIRE-025]', () => {
  assert.ok(result({}));
  assert.ok(result({ payload: null }));
  assert.ok(result({ outputs: [] }));
  for (const bad of [[], null, 'x', { rows: [] }, { outputs: {} }, { outputs: null }]) assert.not.ok(result(bad));
  for (const field of ['handle', 'name', 'mediaType', 'size']) assert.not.ok(output(field, undefined), field);
  assert.not.ok(output('url', 'https://example.com'));
  for (const bad of [-1, 1.5, '1', null, 2 ** 53]) assert.not.ok(output('size', bad));
  assert.ok(output('size', 0));
  for (const good of ['text/csv', 'text/csv; charset=utf-8', 'application/vnd.api+json', 'text/plain;a="b c"'])
    assert.ok(output('mediaType', good), good);
  for (const bad of ['', 'csv', 'text/', '/csv', 'text/csv\n', 'text/csv;', 'a b/c', `text/${'x'.repeat(255)}`])
    assert.not.ok(output('mediaType', bad), bad);
  assert.not.ok(result({ outputs: [OUTPUT, OUTPUT] }));
});

test('a handle is an opaque word, never a path or URL [WIRE-026]', () => {
  for (const good of ['a', 'A.b_c-9', `a${'b'.repeat(127)}`]) assert.ok(output('handle', good), good);
  for (const bad of [
    '',
    '.',
    '..',
    '.x',
    '-x',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'https://x',
    'a b',
    'a%2fb',
    `a${'b'.repeat(128)}`,
  ])
    assert.not.ok(output('handle', bad), bad);
});

test('an output name that is not a plain file name is refused [WIRE-026]', () => {
  for (const good of ['people.csv', 'Bücher 2026 (1).txt', '.hidden', 'a..b']) assert.ok(output('name', good), good);
  for (const bad of [
    '',
    '.',
    '..',
    '/x',
    'x/',
    'a/../b',
    '..\\x',
    'a\\b',
    'a\u0000',
    'a\n',
    '\u202egpj.exe',
    ' ',
    'é'.repeat(128),
  ])
    assert.not.ok(output('name', bad), JSON.stringify(bad));
});

test('the bounds of bytes and depth hold whatever else is right [LIMITS-023] [LIMITS-024]', () => {
  const payload = (size: number) => decodeResult(bytes({ payload: 'x'.repeat(size) }));
  assert.is(payload(1_048_574)._tag, 'Right');
  assert.is(payload(1_048_575)._tag, 'Left');
  assert.is(decodeResult(bytes(RESULT), { ...DEFAULT_LIMITS, payloadBytes: 10 })._tag, 'Left');
  assert.is(decodeResult(bytes(RESULT), { ...DEFAULT_LIMITS, envelopeBytes: 50 })._tag, 'Left');
  assert.is(decodeResult(bytes({ payload: 'x'.repeat(2_097_152) }))._tag, 'Left');
  const deep = (levels: number) => `{"payload":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  assert.is(decodeResult(bytes(deep(63)))._tag, 'Right');
  assert.is(decodeResult(bytes(deep(64)))._tag, 'Left');
  const long = change(ENVELOPE, 'request.arguments.text', 'x'.repeat(2_097_152));
  assert.is(decodeEnvelope(bytes(long))._tag, 'Left');
});

test('a registration is compared field by field, its capabilities all through [MANIFEST-117]', () => {
  const read = (value: Json) => {
    const decoded = decodeRegistration(bytes(value));
    assert.is(decoded._tag, 'Right');
    if (decoded._tag === 'Left') throw new Error(decoded.left);
    return decoded.right;
  };
  const issued = read(REGISTRATION);
  assert.is(registrationDifference(read(structuredClone(REGISTRATION)), issued), undefined);
  const { capabilities } = REGISTRATION;
  const reordered = {
    ...REGISTRATION,
    capabilities: Object.fromEntries(Object.entries(capabilities as JsonObject).reverse()),
  };
  assert.is(registrationDifference(read(reordered as JsonObject), issued), undefined);
  for (const [path, to] of [
    ['addonId', 'other'],
    ['version', '1.0.1'],
    ['generation', 4],
    ['incarnation', 'f'.repeat(32)],
    ['endpoint', 'http://127.0.0.1:40002'],
    ['capabilities.service', false],
    ['capabilities.tools[1]', 'rows-drop'],
    ['capabilities.ui.modelActions[0].capability', 'FLAG_TTS'],
    ['capabilities.ui.pages', undefined],
    ['capabilities.more', 1],
  ] as const)
    assert.is(registrationDifference(read(change(REGISTRATION, path, to)), issued), path.split('.')[0], path);
  for (const [path, to] of [
    ['protocol', 2],
    ['more', 1],
    ['generation', 0],
    ['incarnation', 'x'],
    ['capabilities', []],
  ] as const)
    assert.is(decodeRegistration(bytes(change(REGISTRATION, path, to)))._tag, 'Left', path);
});

test('what stands inside arguments, payload and summary is opaque: it never becomes authority [WIRE-002]', () => {
  const claims = {
    authority: { scope: 'act' },
    approved: true,
    scope: 'apply',
    sql: 'DROP TABLE people',
    Credential: 'x',
  };
  const read = decodeEnvelope(bytes(change(ENVELOPE, 'request.arguments', claims)));
  assert.is(read._tag, 'Right');
  if (read._tag === 'Right') {
    assert.equal(read.right.authority as unknown as Json, ENVELOPE.authority as Json);
    assert.equal(read.right.request.arguments, claims);
  }
  assert.equal(decodeResult(bytes({ payload: claims })), { _tag: 'Right', right: { payload: claims } });
  assert.ok(preview('summary', claims));
});

test('reading and validating start no timer or job [LIMITS-022]', () => {
  const before = process.getActiveResourcesInfo().sort();
  decodeEnvelope(bytes(ENVELOPE));
  decodeResult(bytes(RESULT));
  decodePreview(bytes(PREVIEW));
  decodeReceipt(bytes(RECEIPT));
  limitsFrom({});
  assert.equal(process.getActiveResourcesInfo().sort(), before);
});

test('a wrong answer is described without a word of it [WIRE-046]', () => {
  for (const value of [
    { ...RECEIPT, secret: 'topsecret' },
    { ...RECEIPT, state: 'topsecret' },
    { operationId: 'TOPSECRET topsecret' },
  ]) {
    const decoded = decodeReceipt(bytes(value));
    assert.is(decoded._tag, 'Left');
    if (decoded._tag === 'Left') assert.not.match(decoded.left, /topsecret/i);
  }
});

test.run();
