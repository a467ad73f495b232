import { foldCase, foldKey } from '../../../src/contract/case-fold.js';
import { declaredTool } from '../../../src/contract/declared-tool.js';
import { cpuMs } from '../../support/cpu.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('declared-tool rule');
const TOOLS = ['rows-insert', 'rows-list'];
const denied = (raw: string) => {
  const result = declaredTool(raw, TOOLS);
  return result._tag === 'Left' ? result.left.refusal : undefined;
};

test('arguments without a tool key name no tool', () => {
  const result = declaredTool('{"a":{"tool":"other"}}', TOOLS);
  assert.equal(result, { _tag: 'Right', right: { arguments: { a: { tool: 'other' } } } });
});

test('an exact key with a declared name passes and anything else is denied', () => {
  const result = declaredTool(' {"tool":"rows-insert","x":1} ', TOOLS);
  assert.equal(result, { _tag: 'Right', right: { tool: 'rows-insert', arguments: { tool: 'rows-insert', x: 1 } } });
  assert.is(denied('{"\\u0074ool":"rows-insert"}'), undefined);
  for (const name of [
    'rows-Insert',
    'rows-insert ',
    ' rows-insert',
    '',
    'other',
    'rows‐insert',
    'toString',
    '__proto__',
  ])
    assert.is(denied(JSON.stringify({ tool: name })), 'denied', name);
  for (const value of ['1', 'null', 'true', '["rows-insert"]', '{"a":"rows-insert"}'])
    assert.is(denied(`{"tool":${value}}`), 'denied', value);
});

test('a key that is tool only after folding or trimming is denied', () => {
  for (const key of [
    'Tool',
    'TOOL',
    ' tool',
    'tool ',
    '\ttool\n',
    '\u00a0tool',
    '\u3000tool',
    '\u0085tool',
    '\ufefftool',
    'tOOl',
  ])
    assert.is(denied(JSON.stringify({ [key]: 'rows-insert' })), 'denied', JSON.stringify(key));
  assert.is(denied('{"\\u0054ool":"rows-insert"}'), 'denied');
  assert.is(denied('{"\\u0020tool":"rows-insert","tool":"rows-insert"}'), 'denied');
});

test('keys that collide after unescaping, trimming and folding are denied at any depth', () => {
  for (const raw of [
    '{"tool":"rows-list","tool":"rows-insert"}',
    '{"tool":"rows-list","\\u0074ool":"rows-insert"}',
    '{"a":{"b":[{"k":1,"K":2}]}}',
    '{"a":{"name":1," name":2}}',
    '{"k":1,"\u212a":2}',
    '{"s":1,"\u017f":2}',
    '{"strasse":1,"stra\u00dfe":2}',
    '{"STRA\u1e9eE":1,"strasse":2}',
    '{"\u03c3":1,"\u03c2":2}',
    '{"\ufb01":1,"FI":2}',
  ])
    assert.is(denied(raw), 'denied', raw);
  assert.is(denied('{"a":{"b":1},"c":{"b":2}}'), undefined);
  assert.is(denied('{"\u0131":1,"i":2}'), undefined);
});

test('anything but exactly one object of at most 64 levels is denied', () => {
  for (const raw of ['[]', '"x"', '1', 'null', 'true', '', ' ', '{', '{}{}', '{} x', '{"a":}', '{"a":1e999}'])
    assert.is(denied(raw), 'denied', raw);
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  assert.is(denied(nested(64)), undefined);
  assert.is(denied(nested(65)), 'denied');
});

test('an empty list of declared tools denies every name', () => {
  assert.is(declaredTool('{"tool":"rows-list"}', [])._tag, 'Left');
  assert.is(declaredTool('{}', [])._tag, 'Right');
});

test('folding has no rule that depends on neighbours', () => {
  assert.is(foldCase('ΑΣ'), foldCase('ας'));
  assert.is(foldCase('ΑΣ'), foldCase('ασ'));
  assert.is(foldKey('  ẞ '), 'ss');
});

test('two megabytes of hostile keys are judged in linear time', () => {
  const spaces = `{"${' '.repeat(1_000_000)}x${' '.repeat(1_000_000)}":1}`;
  const keys = `{${Array.from({ length: 150_000 }, (_, i) => `"K${i}":0`).join(',')}}`;
  const folds = `{"${'ß'.repeat(500_000)}":1}`;
  for (const raw of [spaces, keys, folds, '"'.repeat(1_000_001), '['.repeat(2_000_000), '{"a":'.repeat(400_000)]) {
    const spent = cpuMs(() => declaredTool(raw, TOOLS));
    assert.ok(spent < 4_000, `${Math.round(spent)} ms`);
  }
});

test.run();
