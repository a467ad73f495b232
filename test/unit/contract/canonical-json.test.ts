import fc from 'fast-check';
import { canonicalJson, recordJson } from '../../../src/contract/canonical-json.js';
import type { Json } from '../../../src/contract/json.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('canonical JSON');
const refuses = (value: unknown) =>
  assert.throws(
    () => canonicalJson(value as Json),
    (error: unknown) => error instanceof TypeError,
  );

test('the example of RFC 8785 comes out byte for byte', () => {
  const input = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
      '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  ) as Json;
  assert.is(
    canonicalJson(input),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('keys are sorted by UTF-16 code units, at every level', () => {
  const keys = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 };
  assert.is(canonicalJson({ z: keys, a: [] }), '{"a":[],"z":{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}}');
});

test('negative zero is zero', () => {
  assert.is(canonicalJson([-0, 0]), '[0,0]');
});

test('what JSON cannot say exactly is refused', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 'a\udc00b', undefined, () => 1, Symbol('s'), 1n])
    refuses(value);
  for (const value of [{ a: undefined }, [undefined], new Date(0), new Map(), { '\ud800': 1 }]) refuses(value);
  let deep: Json = 1;
  for (let level = 0; level < 300; level += 1) deep = [deep];
  refuses(deep);
});

test('a record takes integers below 2^53 and plain ASCII keys only', () => {
  assert.is(recordJson({ b: 2 ** 53 - 1, a: ['ä'] }), '{"a":["ä"],"b":9007199254740991}');
  for (const value of [1.5, 2 ** 53, -(2 ** 53), 1e300, { ä: 1 }, { 'a"b': 1 }, { a: [{ 'line\n': 1 }] }])
    assert.throws(
      () => recordJson(value as Json),
      (error: unknown) => error instanceof TypeError,
    );
});

test('a key named __proto__ is a key like any other', () => {
  assert.is(canonicalJson(JSON.parse('{"__proto__":{"b":1},"a":2}') as Json), '{"__proto__":{"b":1},"a":2}');
});

/** The definition, slowly: sort every object, then let the language print it. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as { [key: string]: Json });
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, sorted(inner)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

test('any JSON value reads back as itself, whatever the order of its keys, and only one text is canonical', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as Json;
      if (
        /\p{Surrogate}/u.test(
          JSON.stringify(json).replace(/\\u(d[89a-f][0-9a-f]{2})/gi, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          ),
        )
      )
        return;
      const text = canonicalJson(json);
      assert.equal(JSON.parse(text), json);
      assert.is(canonicalJson(JSON.parse(text) as Json), text);
      const integerKeys = /"\d+":/.test(text);
      if (!integerKeys) assert.is(text, JSON.stringify(sorted(json)));
    }),
    { numRuns: 2_000 },
  );
});

test.run();
