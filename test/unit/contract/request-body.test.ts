import { closed, t } from '../../../src/contract/fp.js';
import { bodyOf, readBody, strictBody } from '../../../src/contract/request-body.js';
import { cpuMs } from '../../support/cpu.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('request bodies');
const Codec = closed('request', { addonId: t.string, arguments: t.UnknownRecord }, { resourceId: t.string });
const outcome = (text: string | Uint8Array) => {
  const result = bodyOf(text, Codec);
  return result._tag === 'Left' ? result.left.refusal : result.right.rawArguments;
};

test('hands out the exact text of arguments beside the decoded value', () => {
  const raw = '{ "b" : 1,\n "a":"\\u0061}" }';
  const result = bodyOf(`{"addonId":"x", "arguments" : ${raw} , "resourceId":"r"}`, Codec);
  assert.is(result._tag, 'Right');
  if (result._tag === 'Left') return;
  assert.is(result.right.rawArguments, raw);
  assert.equal(result.right.value, { addonId: 'x', resourceId: 'r', arguments: { b: 1, a: 'a}' } });
});

test('finds arguments first, last, alone, nested look-alikes aside and under an escaped name', () => {
  assert.is(outcome('{"arguments":{},"addonId":"x"}'), '{}');
  assert.is(outcome('{"addonId":"x","arguments":{}}'), '{}');
  assert.is(outcome('{"addonId":"{\\"arguments\\":1}","arguments":{"arguments":[2]}}'), '{"arguments":[2]}');
  assert.is(outcome('{"addonId":"x","\\u0061rguments":{"z":0}}'), '{"z":0}');
});

test('leaves repeated keys, depth and non-objects inside arguments to the declared-tool rule', () => {
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  for (const inside of ['{"a":1,"a":2}', `{"a":${deep}}`]) {
    const result = bodyOf(`{"addonId":"x","arguments":${inside}}`, Codec);
    assert.is(result._tag, 'Right', inside);
    if (result._tag === 'Right') assert.equal(result.right.value.arguments, {}, 'never a value that was not judged');
  }
  for (const inside of ['[]', 'null', '1', '"x"']) assert.is(outcome(`{"addonId":"x","arguments":${inside}}`), inside);
});

test('a body that is not JSON, not an object, or repeats a member outside arguments is 400', () => {
  for (const text of [
    '',
    'x',
    '[]',
    'null',
    '{"addonId":"x","arguments":{}',
    '{"addonId":"x","arguments":{}} {}',
    '{"addonId":"x","arguments":{},"arguments":{}}',
    '{"addonId":"x","arguments":{},"\\u0061rguments":{}}',
    '{"addonId":"x","addonId":"x","arguments":{}}',
    '{"addonId":"x","arguments":{"a":tru}}',
    '{"addonId":"x","arguments":}',
    '{"addonId":"x","arguments":{"a":1e999}}',
    '{"addonId":"x","arguments":{"a":9007199254740993}}',
    `{"addonId":${'['.repeat(80)}${']'.repeat(80)},"arguments":{}}`,
  ])
    assert.is(outcome(text), 'invalid_request', text.slice(0, 60));
  assert.is(outcome(Uint8Array.from([0x7b, 0xff, 0x7d])), 'invalid_request');
});

test('unknown and missing members, and another spelling of arguments, are 400', () => {
  assert.is(outcome('{"addonId":"x","arguments":{},"approved":true}'), 'invalid_request');
  assert.is(outcome('{"addonId":"x"}'), 'invalid_request');
  assert.is(outcome('{"arguments":{}}'), 'invalid_request');
  assert.is(outcome('{"addonId":"x","Arguments":{}}'), 'invalid_request');
});

test('a body over 2 MiB is 413', () => {
  const body = (size: number) => `{"addonId":"x","arguments":{"a":"${'a'.repeat(size - 36)}"}}`;
  assert.is(body(2_097_152).length, 2_097_152);
  assert.is(readBody(body(2_097_152))._tag, 'Right');
  const over = readBody(body(2_097_153));
  assert.is(over._tag === 'Left' && over.left.refusal, 'too_large');
});

test('a body without arguments is strict all through', () => {
  const Digest = closed('confirm', { digest: t.string });
  assert.equal(strictBody('{"digest":"d"}', Digest), { _tag: 'Right', right: { digest: 'd' } });
  for (const text of ['{"digest":"d","digest":"d"}', '{"digest":"d","x":1}', '{}', '[]', '{"digest":1}', ''])
    assert.is(strictBody(text, Digest)._tag, 'Left', text);
});

test('hostile bodies are read in linear time', () => {
  const many = `{${Array.from({ length: 100_000 }, (_, i) => `"${i}":0`).join(',')}}`;
  for (const text of [many, '{"'.repeat(500_000), `{${'"a":[['.repeat(200_000)}`, `{"a":"${'\\'.repeat(1_000_000)}`]) {
    assert.ok(cpuMs(() => readBody(text)) < 4_000);
  }
});

test.run();
