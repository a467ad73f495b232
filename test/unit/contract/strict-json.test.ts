import { parseStrict } from '../../../src/contract/strict-json.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('strict JSON');
const bytes = (text: string) => new TextEncoder().encode(text);
const reason = (input: Uint8Array | string, options = {}) => {
  const result = parseStrict(input, { maxBytes: 1000, ...options });
  return result._tag === 'Left' ? result.left.reason : 'ok';
};

test('reads every kind of JSON value', () => {
  const text = '{"a":[1,-2.5e3,"x\\n\\u00e9",true,false,null,{}],"":{"b":[]}}';
  const result = parseStrict(bytes(text), { maxBytes: 1000 });
  assert.is(result._tag, 'Right');
  if (result._tag === 'Right') assert.equal(result.right, JSON.parse(text));
});

test('refuses a repeated key in one object at any depth, also one spelled with escapes', () => {
  assert.is(reason('{"a":1,"a":2}'), 'duplicate_key');
  assert.is(reason('{"a":1,"\\u0061":2}'), 'duplicate_key');
  assert.is(reason('{"b":1,"a":1,"c":{},"\\u0061":2}'), 'duplicate_key');
  assert.is(reason('[[{"x":{"a":{},"b":[{"z":1}],"a":0}}]]'), 'duplicate_key');
  assert.is(reason('{"__proto__":1,"__proto__":2}'), 'duplicate_key');
});

test('takes the same key in different objects', () => {
  assert.is(reason('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}'), 'ok');
  assert.is(reason('["a","a",{"a":"a"}]'), 'ok');
});

test('refuses a value nested deeper than 64 levels and takes one of 64', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  assert.is(reason(nested(64)), 'ok');
  assert.is(reason(nested(65)), 'too_deep');
  assert.is(reason('{"a":'.repeat(65) + 1 + '}'.repeat(65)), 'too_deep');
  assert.is(reason(`[${'[],'.repeat(100)}[]]`), 'ok');
});

test('refuses more bytes than allowed, counted in UTF-8', () => {
  assert.is(reason(`"${'é'.repeat(499)}"`), 'ok');
  assert.is(reason(`"${'é'.repeat(500)}"`), 'too_large');
  assert.is(reason(bytes(`"${'a'.repeat(999)}"`)), 'too_large');
});

test('refuses bytes that are not UTF-8, and a byte order mark', () => {
  assert.is(reason(Uint8Array.from([0x22, 0xff, 0x22])), 'encoding');
  assert.is(reason(Uint8Array.from([0x22, 0xc0, 0x80, 0x22])), 'encoding');
  assert.is(reason(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31])), 'encoding');
  assert.is(reason('\ufeff1'), 'encoding');
  assert.is(reason('"\ud800"'), 'encoding');
});

test('refuses trailing data, comments, trailing commas, single quotes and unfinished text', () => {
  for (const text of [
    '{} {}',
    '1 2',
    '{}x',
    '{},',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    '// x\n1',
    '',
    ' ',
    '{',
    '"',
    '"a',
    '"\\',
  ])
    assert.is(reason(text), 'syntax', text);
  for (const text of ['{"\\x":1}', '{"a"}', '{1:2}', '[1}', '{"a":1]', ']', '}', 'NaN', '01', '+1', '.5', '1.', '"\t"'])
    assert.is(reason(text), 'syntax', text);
});

test('refuses a number that would become infinite and half of a surrogate pair, which would change in silence', () => {
  assert.is(reason('[1e999]'), 'number');
  assert.is(reason(`[-${'9'.repeat(400)}]`), 'number');
  assert.is(reason('[1e308,-1.5E-9]'), 'ok');
  assert.is(reason('["\\ud800"]'), 'surrogate');
  assert.is(reason('{"\\uDC00":1}'), 'surrogate');
  assert.is(reason('["\\ud83d\\ude00"]'), 'ok');
});

test('refuses integers that would be rounded only where it is asked to', () => {
  assert.is(reason('[9007199254740993]'), 'ok');
  assert.is(reason('[9007199254740993]', { exactIntegers: true }), 'number');
  assert.is(reason('[9007199254740991,-9007199254740991,1e20]', { exactIntegers: true }), 'ok');
});

test('says why in one sentence that does not quote the text', () => {
  for (const text of ['{"secret":1,"secret":2}', '[secret', '["secret\\ud800"]']) {
    const result = parseStrict(text, { maxBytes: 1000 });
    assert.is(result._tag, 'Left');
    if (result._tag === 'Left') assert.not.match(result.left.message, /secret/);
  }
});

test.run();
