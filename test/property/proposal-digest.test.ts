/** The digest a person confirms, and the rules on the raw arguments as the gateway applies them. */
import fc from 'fast-check';
import type { ProposalRecord } from '../../src/aggregates/proposal.js';
import { digestOf, type ProposalBodies } from '../../src/commands/proposals/bodies.js';
import { namedTool } from '../../src/commands/tools.js';
import { isLeft } from '../../src/contract/fp.js';
import type { Json, JsonObject } from '../../src/contract/json.js';
import { installedTables, TOOLS } from '../support/gateway-world.js';
import { assert, suite } from '../support/harness.js';

const test = suite('digest and declared tools, properties');

const ref = (letter: string) => `sha256:${letter.repeat(64)}`;
const record: Omit<ProposalRecord, 'digest'> = {
  operationId: 'op-1',
  addonId: 'tables',
  resourceId: 'r-1',
  action: 'write',
  tool: 'insert-rows',
  generation: 1,
  addonOperationId: 'op-1',
  proposer: { userId: 'ada', credentialId: 'c', mode: 'named-user' },
  via: { kind: 'key', name: 'script' },
  revision: { schema: 1, data: 0 },
  count: 1,
  sampleRef: ref('a'),
  argumentsRef: ref('b'),
  argumentsBytes: 2,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:05:00.000Z',
};

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const bodies: fc.Arbitrary<ProposalBodies> = fc.record({
  arguments: fc.dictionary(fc.string(), json, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
  sample: fc.array(json, { maxLength: 4 }),
});

/** Every stored fact, changed one at a time. */
const changes: readonly Partial<Omit<ProposalRecord, 'digest'>>[] = [
  { operationId: 'op-2' },
  { addonId: 'other' },
  { resourceId: 'r-2' },
  { action: 'schema' },
  { tool: 'alter-table' },
  { generation: 2 },
  { addonOperationId: 'op-2' },
  { proposer: { userId: 'bob', credentialId: 'c', mode: 'named-user' } },
  { proposer: { userId: 'ada', credentialId: 'd', mode: 'named-user' } },
  { proposer: { userId: 'ada', credentialId: 'c', mode: 'local-owner' } },
  { via: { kind: 'mcp', name: 'script' } },
  { revision: { schema: 2, data: 0 } },
  { revision: { schema: 1, data: 1 } },
  { count: 2 },
  { argumentsBytes: 3 },
  { createdAt: '2026-01-01T00:00:00.001Z' },
  { expiresAt: '2026-01-01T00:05:00.001Z' },
  { displayName: 'Ada' },
];

test('changing any one stored fact, argument or sample entry changes the digest, and nothing else does [PROPOSAL-029]', () => {
  fc.assert(
    fc.property(bodies, bodies, (one, two) => {
      const digest = digestOf(record, one);
      for (const change of changes)
        assert.is.not(digestOf({ ...record, ...change }, one), digest, Object.keys(change)[0]);
      assert.is(digestOf({ ...record, argumentsRef: ref('c'), sampleRef: ref('d') }, one), digest);
      assert.is(digestOf(record, JSON.parse(JSON.stringify(one)) as ProposalBodies), digest);
      const same = JSON.stringify([one.arguments, one.sample]) === JSON.stringify([two.arguments, two.sample]);
      if (!same && digestOf(record, two) === digest) assert.equal(two, one);
    }),
    { numRuns: 300 },
  );
});

test('only the exact name of a declared tool passes, whatever it resembles [PROPOSAL-006]', () => {
  const names = TOOLS.map(({ name }) => name);
  const near = fc
    .constantFrom(...names)
    .chain((name) =>
      fc.constantFrom(
        name,
        name.toUpperCase(),
        ` ${name}`,
        `${name} `,
        `${name}\u0000`,
        name.replace('-', '\u2010'),
        name.replace('i', '\u0131'),
        `other.${name}`,
        '',
      ),
    );
  fc.assert(
    fc.property(fc.oneof(near, fc.string(), json), (tool) => {
      const raw = JSON.stringify({ tool, rows: [] });
      const answer = namedTool(installedTables(), raw, { kind: 'write', resourceId: 'r-1' });
      if (typeof tool !== 'string' || !names.includes(tool)) assert.is(isLeft(answer) && answer.left.refusal, 'denied');
      else assert.is(isLeft(answer), tool !== 'insert-rows');
    }),
    { numRuns: 1_000 },
  );
});

test('a key that becomes tool by folding, trimming or escaping, and a repeated key at any depth, are denied [PROPOSAL-007] [PROPOSAL-008]', () => {
  const disguised = fc.constantFrom('Tool', 'TOOL', ' tool', 'tool ', '\\u0054ool', 'to\\u006fl ', 'tooL', '\\ttool');
  fc.assert(
    fc.property(disguised, fc.boolean(), (key, first) => {
      const pair = [`"${key}":"insert-rows"`, '"rows":[]'];
      const raw = `{${(first ? pair : pair.reverse()).join(',')}}`;
      const answer = namedTool(installedTables(), raw, { kind: 'write', resourceId: 'r-1' });
      assert.is(isLeft(answer) && answer.left.refusal, 'denied', raw);
    }),
  );
  const twin = fc.constantFrom(
    ['a', 'a'],
    ['a', 'A'],
    ['a', '\\u0061'],
    ['a', ' a'],

    ['k', '\u212a'],
  );
  fc.assert(
    fc.property(twin, fc.integer({ min: 0, max: 12 }), ([one, two], depth) => {
      const inner = `{"${one}":1,"${two}":2}`;
      const nested = '[{"x":'.repeat(depth) + inner + '}]'.repeat(depth);
      const answer = namedTool(installedTables(), `{"tool":"insert-rows","rows":${nested}}`, {
        kind: 'write',
        resourceId: 'r-1',
      });
      assert.is(isLeft(answer) && answer.left.refusal, 'denied', inner);
    }),
  );
});

test('arguments are exactly one object of at most 64 levels, and the rule itself says so [PROPOSAL-009] [PROPOSAL-010]', () => {
  const scalar = fc.oneof(json.filter((value) => typeof value !== 'object' || value === null || Array.isArray(value)));
  const check = (raw: string) => namedTool(installedTables(), raw, { kind: 'read' });
  fc.assert(
    fc.property(scalar, (value) => {
      const answer = check(JSON.stringify(value));
      assert.is(isLeft(answer) && answer.left.refusal, 'denied');
    }),
  );
  for (const raw of [
    '',
    '{',
    '{}}',
    '{} {}',
    '{}x',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    '\ufeff{}',
    '{"a":"\\ud800"}',
    '{"a":01}',
  ])
    assert.ok(isLeft(check(raw)), raw);
  const nest = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  assert.not(isLeft(check(nest(64))));
  assert.ok(isLeft(check(nest(65))));
});

test.run();
