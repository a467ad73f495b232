import { inputSchema, sayProblems, validateArguments } from '../../../src/contract/input-schema.js';
import type { Json, JsonObject } from '../../../src/contract/json.js';
import { cpuMs } from '../../support/cpu.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('input schemas');
const rules = (schema: Json) => {
  const result = inputSchema(schema as JsonObject);
  return result._tag === 'Left' ? result.left.map(({ path, rule }) => `${path} ${rule}`) : [];
};
const ofProperty = (schema: Json) => rules({ type: 'object', properties: { a: schema } });
const judge = (schema: JsonObject, args: JsonObject, request = {}) =>
  validateArguments(schema, args, request).map(({ path }) => path);
const property = (schema: JsonObject, value: Json) =>
  judge({ type: 'object', properties: { a: schema } }, { a: value });

test('the dialect takes its keywords and nothing else', () => {
  const full: JsonObject = {
    type: 'object',
    title: 'All of it',
    description: 'Every keyword.',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 9, pattern: '^[a-z]+$', default: 'x' },
      size: { type: ['integer', 'null'], minimum: 0, maximum: 9 },
      kind: { enum: ['a', 1, null, true] },
      one: { const: 'x' },
      list: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'number' } },
      any: {},
    },
  };
  assert.equal(rules(full), []);
  for (const keyword of [
    '$ref',
    '$defs',
    '$id',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'format',
    'patternProperties',
    'propertyNames',
    'contains',
    'uniqueItems',
    'multipleOf',
    'exclusiveMinimum',
    'Type',
    'toString',
  ])
    assert.match(ofProperty({ [keyword]: {} }).join(), /^[^,]* schema-keyword$/, keyword);
});

test('the root is an object schema', () => {
  for (const schema of [{}, { type: 'array' }, { type: ['object'] }, { enum: [1] }])
    assert.ok(rules(schema).length > 0);
});

test('objects are closed: additionalProperties may only be false', () => {
  assert.equal(rules({ type: 'object', additionalProperties: false }), []);
  for (const value of [true, {}, null, { type: 'string' }])
    assert.equal(rules({ type: 'object', additionalProperties: value }), ['additionalProperties schema-closed']);
});

test('no property may be named tool in any case, at any depth', () => {
  for (const name of ['tool', 'Tool', 'TOOL', ' tool', 'tool\n'])
    assert.is(rules({ type: 'object', properties: { [name]: {} } }).length, 1, name);
  assert.is(ofProperty({ type: 'object', properties: { tOOl: {} } }).length, 1);
});

test('property names that the declared-tool rule would deny together are refused', () => {
  assert.is(rules({ type: 'object', properties: { name: {}, Name: {} } }).length, 1);
  assert.is(rules({ type: 'object', properties: { k: {}, '\u212a': {} } }).length, 1);
  assert.is(rules(JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as Json).length, 1);
});

test('keywords need the type they speak of, and sensible bounds', () => {
  assert.is(ofProperty({ minLength: 1 }).length, 1);
  assert.is(ofProperty({ type: 'integer', maxLength: 1 }).length, 1);
  assert.is(ofProperty({ type: 'string', minLength: 3, maxLength: 2 }).length, 1);
  assert.is(ofProperty({ type: 'number', minimum: 3, maximum: 2 }).length, 1);
  for (const value of [-1, 1.5, '1', null]) assert.is(ofProperty({ type: 'array', maxItems: value }).length, 1);
  assert.is(ofProperty({ enum: [] }).length, 1);
  assert.is(ofProperty({ enum: [1, 1] }).length, 1);
  assert.is(ofProperty({ enum: [{}] }).length, 1);
  assert.is(ofProperty({ type: 'text' }).length, 1);
  assert.is(ofProperty({ type: [] }).length, 1);
  assert.equal(rules({ type: 'object', required: ['x'] }), ['required[0] schema-required']);
  assert.is(rules({ type: 'object', properties: { x: {} }, required: ['x', 'x'] }).length, 1);
});

test('a schema has bounded depth, size and text', () => {
  const nest = (depth: number): JsonObject =>
    depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: nest(depth - 1) } };
  assert.equal(rules(nest(15)), []);
  assert.is(rules(nest(16)).length, 1);
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 1_024 }, (_, i) => [`p${i}`, {}])),
  };
  assert.is(rules(wide).length, 1);
  assert.is(ofProperty({ description: 'x'.repeat(4_097) }).length, 1);
});

test('patterns are RE2: no look-around, no back-reference, bounded length, size and number', () => {
  for (const pattern of ['^[a-z]{1,40}$', '\\d+', '(?i)x', '\\pL+', 'a|b'])
    assert.equal(ofProperty({ type: 'string', pattern }), [], pattern);
  for (const pattern of [
    '(?=a)',
    '(?<!a)b',
    '(a)\\1',
    '(',
    '[z-a]',
    'a{1001}',
    '(a{30}){40}',
    'x'.repeat(257),
    'a{200}b{200}c{200}',
  ])
    assert.equal(ofProperty({ type: 'string', pattern }), ['properties.a.pattern schema-pattern'], pattern);
  const many = Object.fromEntries(Array.from({ length: 66 }, (_, i) => [`p${i}`, { type: 'string', pattern: 'a' }]));
  assert.equal(rules({ type: 'object', properties: many }), ['properties.p64.pattern schema-pattern']);
});

test('arguments that fit have no problems; the key tool is not looked at', () => {
  const schema = {
    type: 'object',
    properties: {
      rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
    },
  };
  assert.equal(judge(schema, { tool: 'x', rows: [{ id: 1 }, { id: 2 }] }), []);
  assert.equal(judge(schema, {}), []);
});

test('problems carry the path of what is wrong and stop after sixteen', () => {
  const schema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
    },
  };
  assert.equal(judge(schema, { rows: [{ id: 1 }, { id: 'x' }, {}, { id: 1, more: 1 }], 'odd key': 1 }), [
    'name',
    'rows[1].id',
    'rows[2].id',
    'rows[3].more',
    '$["odd key"]',
  ]);
  assert.is(judge(schema, { name: 'x', rows: Array.from({ length: 99 }, () => ({})) }).length, 16);
  assert.not.match(sayProblems(validateArguments(schema, { name: 1, secret: 'topsecret' })), /topsecret/);
});

test('each keyword is applied', () => {
  assert.equal(property({ type: 'integer' }, 1.5), ['a']);
  assert.equal(property({ type: 'integer' }, 2), []);
  assert.equal(property({ type: 'number', minimum: 1, maximum: 2 }, 0), ['a']);
  assert.equal(property({ type: 'number', minimum: 1, maximum: 2 }, 3), ['a']);
  assert.equal(property({ type: 'number', minimum: 1, maximum: 2 }, 2), []);
  assert.equal(property({ type: 'boolean' }, 'true'), ['a']);
  assert.equal(property({ type: 'null' }, 0), ['a']);
  assert.equal(property({ type: 'object' }, []), ['a']);
  assert.equal(property({ type: 'object' }, null), ['a']);
  assert.equal(property({ type: 'array' }, {}), ['a']);
  assert.equal(property({ type: ['string', 'null'] }, null), []);
  assert.equal(property({ type: 'string', minLength: 2, maxLength: 2 }, '😀'), ['a']);
  assert.equal(property({ type: 'string', minLength: 2, maxLength: 2 }, '😀😀'), []);
  assert.equal(property({ type: 'string', maxLength: 2 }, 'abc'), ['a']);
  assert.equal(property({ type: 'string', pattern: 'b' }, 'abc'), []);
  assert.equal(property({ type: 'string', pattern: '^b' }, 'abc'), ['a']);
  assert.equal(property({ type: 'array', minItems: 1, maxItems: 2 }, []), ['a']);
  assert.equal(property({ type: 'array', maxItems: 2 }, [1, 2, 3]), ['a']);
  assert.equal(property({ enum: ['1', true] }, 1), ['a']);
  assert.equal(property({ const: 'x' }, 'y'), ['a']);
  assert.equal(property({ type: 'object' }, { b: 1 }), ['a.b']);
  assert.equal(property({}, { anything: [1, { at: 'all' }] }), []);
});

test('the resource is the field of the request and is not repeated in the arguments', () => {
  const schema = { type: 'object', properties: { resourceId: { type: 'string' } }, required: ['resourceId'] };
  assert.equal(judge(schema, {}, { resourceId: 'people' }), []);
  assert.equal(judge(schema, {}), ['resourceId']);
  assert.equal(judge(schema, {}, { resourceId: '' }), ['resourceId']);
  assert.equal(judge(schema, { resourceId: 'people' }, { resourceId: 'people' }), ['resourceId']);
  assert.equal(judge({ type: 'object' }, {}, { resourceId: 'people' }), []);
});

test('properties that objects have by birth are not declared properties', () => {
  const args = JSON.parse('{"constructor":1,"__proto__":{"a":1},"toString":2}') as JsonObject;
  assert.equal(judge({ type: 'object', properties: { a: {} } }, args), ['constructor', '__proto__', 'toString']);
});

test('hostile patterns and values cost bounded processor time', () => {
  let text = '';
  for (let i = 0; text.length < 4_096; i++) text += 'ab'.charAt((i * 7919 + (i >> 3)) % 2);
  for (const pattern of [
    '[ab]*a[ab]{200}$',
    '(a|b)*?a(a|b){100}c',
    '(?i)(\\pL|\\PL)*a[\\pL]{50}$',
    '(x+x+)+y',
    '(.*)*$',
    '(?:a?){100}a{100}$',
    '(?:a|b|ab)*a(?:a|b|ba){80}$',
  ]) {
    const schema = { type: 'object', properties: { l: { type: 'array', items: { type: 'string', pattern } } } };
    for (const length of [20, 200, 1_000, 4_096]) {
      const l = Array.from({ length: Math.floor(1_500_000 / length) }, (_, i) => text.slice(i % 16, length) || 'a');
      const spent = cpuMs(() => validateArguments(schema, { l }));
      assert.ok(spent < 3_000, `${pattern} with ${length} characters: ${Math.round(spent)} ms`);
    }
  }
});

test('text beyond the budget for patterns is refused, not half checked', () => {
  const schema = {
    type: 'object',
    properties: { l: { type: 'array', items: { type: 'string', pattern: '^[a-z0-9]{1,200}$' } } },
  };
  assert.equal(judge(schema, { l: ['a'.repeat(4_097)] }), ['l[0]']);
  assert.ok(judge(schema, { l: Array.from({ length: 1_000 }, () => 'a'.repeat(200)) }).length > 0);
  assert.equal(judge(schema, { l: Array.from({ length: 100 }, () => 'a'.repeat(20)) }), []);
});

test.run();
