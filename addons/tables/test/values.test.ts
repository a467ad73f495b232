/** Properties of what is read from outside: CSV, strict JSON, inferred types and names. */
import fc from 'fast-check';
import { assert, suite } from '../../../test/support/harness.js';
import { fromText, inferType, toCell, toJson } from '../src/values/cells.js';
import { formatCsv, parseCsv } from '../src/values/csv.js';
import { canonical, type Json } from '../src/wire/json.js';
import { parseStrict } from '../src/wire/strict-json.js';

const test = suite('tables values');

const field = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '😀', '\ufeff') }),
  fc.string().map((text) => text.replaceAll('\0', '')),
);

test('CSV that was written is read back as it was', () => {
  const table = fc
    .integer({ min: 1, max: 5 })
    .chain((width) =>
      fc.array(fc.array(field, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
    );
  fc.assert(
    fc.property(table, ([header = [], ...rows]) => {
      const read = parseCsv(formatCsv({ header, rows }));
      assert.equal(read, { ok: true, value: { header, rows } });
    }),
    { numRuns: 2_000 },
  );
});

test('CSV takes LF and CRLF, a byte order mark, blank lines and a missing last line break', () => {
  const read = (text: string) => {
    const parsed = parseCsv(text);
    return parsed.ok ? [parsed.value.header, ...parsed.value.rows] : parsed.refusal.message;
  };
  assert.equal(read('a,b\n1,2\n'), [
    ['a', 'b'],
    ['1', '2'],
  ]);
  assert.equal(read('\ufeffa,b\r\n1,\r\n\r\n,2'), [
    ['a', 'b'],
    ['1', ''],
    ['', '2'],
  ]);
  assert.equal(read('a\n""\n"x\r\ny"\n'), [['a'], [''], ['x\r\ny']]);
  for (const bad of ['', '\n\n', 'a,b\n1', 'a\n"x', 'a\nx"y', 'a\n"x"y', 'a\rb', 'a\n1,2', 'a\n\0']) {
    assert.type(read(bad), 'string', JSON.stringify(bad));
  }
  assert.match(String(read('a,b\n1,2\n"x\ny",z\nq"')), /Line 5/);
  assert.match(String(read('a,b\n1,2\n3\n')), /Row 2 has 1 fields/);
});

test('CSV parsing never throws and is linear in its input', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void parseCsv(text)));
  for (const hostile of [
    '"'.repeat(1_000_000),
    ',\n'.repeat(25_000),
    `a\n${'"",'.repeat(300_000)}`,
    '\n'.repeat(1_000_000),
  ]) {
    const started = performance.now();
    parseCsv(hostile);
    assert.ok(performance.now() - started < 3_000, `${performance.now() - started} ms`);
  }
});

test('strict JSON agrees with JSON.parse wherever keys differ [WIRE-004]', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      if (/\\ud[89a-f]/i.test(text)) return;
      assert.equal(parseStrict(text), { ok: true, value: JSON.parse(text) as Json });
    }),
    { numRuns: 2_000 },
  );
});

test('strict JSON refuses whatever JSON.parse refuses', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"b"',
    '1',
    '-',
    '01',
    '1e5',
    '.',
    'true',
    'nul',
    'null',
    ' ',
    '\n',
    '"',
    '\\',
    '\u0001',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      const strict = parseStrict(text);
      if (!valid) assert.is(strict.ok, false, text);
      else if (!strict.ok) assert.match(strict.refusal.message, /appears twice|too large/, text);
    }),
    { numRuns: 20_000 },
  );
});

test('strict JSON refuses a repeated key at any depth, however it is written [WIRE-004]', () => {
  for (const text of ['{"a":1,"a":1}', '[{"x":{"a":1,"b":2,"\\u0061":3}}]', '{"__proto__":1,"__proto__":2}']) {
    const parsed = parseStrict(text);
    assert.is(parsed.ok, false);
    assert.match(parsed.ok ? '' : parsed.refusal.message, /appears twice/);
  }
  const proto = parseStrict('{"__proto__":{"a":1}}');
  assert.is(proto.ok && Object.hasOwn(proto.value as object, '__proto__'), true);
  assert.is(parseStrict(`${'['.repeat(64)}${']'.repeat(64)}`).ok, true);
  assert.is(parseStrict(`${'['.repeat(65)}${']'.repeat(65)}`).ok, false);
  assert.is(parseStrict(`"${'\\n'.repeat(1_000_000)}"`).ok, true);
});

test('equal JSON has one canonical form, whatever the order of its keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const turned = Object.fromEntries(Object.entries(object).reverse());
      assert.is(canonical(object as Json), canonical(turned as Json));
      assert.equal(JSON.parse(canonical(object as Json)), JSON.parse(JSON.stringify(object)));
    }),
  );
});

test('the inferred type takes every field it was inferred from', () => {
  const text = fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom(
      'true',
      'FALSE',
      '',
      '007',
      '2024-02-29',
      '2023-02-29',
      '9999999999999999',
      '1e400',
      '-',
      '+5',
      'x',
    ),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (fields) => {
      const column = { name: 'c', type: inferType(fields) };
      for (const one of fields) {
        const value = fromText(column, one);
        assert.ok(value.ok, `${column.type} ${one}`);
        const cell = toCell(column, value.value);
        assert.ok(cell.ok, `${column.type} ${one}`);
        if (cell.value !== null && column.type !== 'text') assert.equal(toJson(column.type, cell.value), value.value);
      }
    }),
    { numRuns: 2_000 },
  );
  assert.is(inferType(['01', '2']), 'text');
  assert.is(inferType(['1', '2.5', '']), 'real');
  assert.is(inferType(['', '']), 'text');
});

test.run();
