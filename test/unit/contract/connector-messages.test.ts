import {
  base64Bytes,
  connectorRequests,
  declaredRoles,
  decodeConnectorAnswer,
  decodeConnectorHistory,
} from '../../../src/contract/connector-messages.js';
import { isSafeFileName, safeFileName } from '../../../src/contract/file-names.js';
import type { Json, JsonObject } from '../../../src/contract/json.js';
import { assert, suite } from '../../support/harness.js';
import { change } from '../../support/manifests.js';

const test = suite('connector messages');
const HEAD = { kind: 'telegram', token: 'secret' };
const FILE = { name: 'a.pdf', mime: 'application/pdf', data: 'QUJD' };
const asked = (op: keyof typeof connectorRequests, more: JsonObject) =>
  connectorRequests[op].is({ op, ...HEAD, ...more });
const answered = (value: Json) => decodeConnectorAnswer(JSON.stringify(value))._tag === 'Right';

test('every request has op, kind and token and nothing unknown [CONNECTOR-022]', () => {
  assert.ok(asked('me', {}));
  assert.not.ok(asked('me', { userId: 'x' }));
  assert.not.ok(connectorRequests.me.is({ op: 'me', kind: 'telegram' }));
  assert.not.ok(connectorRequests.me.is({ op: 'send', ...HEAD }));
});

test('a poll waits at most 25 seconds from an offset [CONNECTOR-023]', () => {
  for (const offset of [0, 17, 'cursor-1'])
    assert.ok(asked('poll', { timeoutSeconds: 25, offset, options: { follow: 'own' } }));
  for (const timeoutSeconds of [26, -1, 1.5, '5']) assert.not.ok(asked('poll', { timeoutSeconds }));
});

test('each op has its fields [CONNECTOR-024]', () => {
  assert.ok(asked('send', { chat: 'c', thread: 't', text: 'x', messageId: 'm' }));
  assert.ok(asked('edit', { chat: 'c', messageId: 'm', text: 'x' }));
  assert.ok(asked('typing', { chat: 'c', thread: 't' }));
  assert.ok(asked('send_file', { chat: 'c', thread: 't', file: FILE }));
  assert.ok(asked('media', { media: { any: 'reference' } }));
  for (const [op, more] of [
    ['send', { chat: 'c' }],
    ['send', { text: 'x' }],
    ['edit', { chat: 'c', text: 'x' }],
    ['typing', {}],
    ['send_file', { chat: 'c' }],
    ['draft', { chat: 'c', draftId: 0, text: 'x' }],
    ['history', { chat: 'c', thread: 't', limit: 201, before: 'm' }],
  ] as const)
    assert.not.ok(asked(op, more), op);
});

test('an inline file has 1 byte to 1 MiB in strict base64 [CONNECTOR-026]', () => {
  const data = (size: number) => Buffer.alloc(size, 1).toString('base64');
  const file = (value: string) => answered({ file: { ...FILE, data: value } });
  for (const size of [1, 2, 3, 4, 1_048_575, 1_048_576]) assert.ok(file(data(size)), String(size));
  for (const bad of ['', 'QQ', 'Q===', 'QUJD\n', 'QU-D', data(1_048_577)]) assert.not.ok(file(bad), bad.slice(0, 8));
  assert.is(base64Bytes(data(5)), 5);
});

test('a file to send has a name that is safe as it is [CONNECTOR-037]', () => {
  const send = (name: string) => asked('send_file', { chat: 'c', file: { ...FILE, name } });
  for (const good of ['a.pdf', 'Bücher 1.txt', 'x'.repeat(128)]) assert.ok(send(good), good);
  for (const bad of ['', '..', 'a/b', '../a', 'a\\b', 'a\u0000', 'a\u202eb', ' a', 'x'.repeat(129)])
    assert.not.ok(send(bad), bad);
});

test('safe names keep their ending and are stable', () => {
  for (const name of [
    '/etc/passwd',
    '..\\..\\x.exe',
    `${'é'.repeat(200)}.png`,
    '',
    '\u0000',
    'a\nb.txt',
    '....',
    ' x ',
  ]) {
    const safe = safeFileName(name);
    assert.ok(isSafeFileName(safe), safe);
    assert.ok(new TextEncoder().encode(safe).byteLength <= 128);
    assert.not.match(safe, /[/\\\0\n]/);
  }
  assert.match(safeFileName(`${'é'.repeat(200)}.png`), /\.png$/);
});

test('an answer is one of the known members or an error of a known code [CONNECTOR-040]', () => {
  assert.ok(answered({}));
  assert.ok(answered({ updates: [], nextOffset: 5, messageId: 'm', botId: 'b', botUsername: 'bot', file: FILE }));
  for (const code of ['unauthorized', 'conflict', 'rate_limited', 'too_large', 'failed'])
    assert.ok(answered({ error: { code, retryAfter: 3 } }), code);
  for (const bad of [
    { ok: true },
    { error: { code: 'other' } },
    { error: {} },
    { error: null },
    { updates: {} },
    [],
    null,
    { error: { code: 'failed' }, messageId: 'm' },
  ])
    assert.not.ok(answered(bad as Json), JSON.stringify(bad));
});

const UPDATE: JsonObject = {
  cursor: 1,
  chat: 'c',
  thread: 't',
  direct: true,
  mention: false,
  messageId: 'm',
  replyTo: 'r',
  senderId: 's',
  senderName: 'Ada',
  senderUsername: 'ada',
  text: 'hi',
  unsupported: false,
  media: [{ id: 1 }],
  roles: ['admin'],
  skip: false,
};
test('an update has its fields and at most 8 media references and roles [CONNECTOR-044]', () => {
  assert.ok(answered({ updates: [UPDATE] }));
  for (const [path, to] of [
    ['chat', undefined],
    ['more', 1],
    ['direct', 'yes'],
    ['media', Array.from({ length: 9 }, () => 'x')],
    ['roles', Array.from({ length: 9 }, (_, i) => `r${i}`)],
    ['roles[0]', 'Admin'],
  ] as const)
    assert.not.ok(answered({ updates: [change(UPDATE, path, to)] }), path);
});

test('roles that a kind does not declare are dropped [CONNECTOR-017]', () => {
  assert.equal(declaredRoles(['admin', 'owner'], ['admin']), ['admin']);
  assert.equal(declaredRoles(['admin'], []), []);
});

test('a history answers at most what was asked for, with counts and names but no bytes [CONNECTOR-029]', () => {
  const entry = { messageId: 'm', senderId: 's', text: 'x', ts: '1', own: true, media: 2, mediaNames: ['a', 'b'] };
  const read = (value: Json, limit = 2) => decodeConnectorHistory(JSON.stringify(value), limit)._tag === 'Right';
  assert.ok(read({ messages: [entry, entry], truncated: true }));
  assert.not.ok(read({ messages: [entry, entry, entry], truncated: true }));
  assert.not.ok(read({ messages: [entry] }));
  assert.not.ok(read({ messages: [{ ...entry, data: 'QQ==' }], truncated: false }));
  assert.not.ok(read({ messages: [{ ...entry, mediaNames: Array.from({ length: 9 }, () => 'x') }], truncated: false }));
  assert.ok(read({ error: { code: 'rate_limited' } }));
});

test.run();
