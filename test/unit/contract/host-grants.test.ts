import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { isLeft } from '../../../src/contract/fp.js';
import { hostOpPolicies, parseHostOps, parseHostPolicy } from '../../../src/contract/host-grants.js';
import { mayCall } from '../../../src/contract/host-op-admission.js';
import { HOST_OPERATIONS } from '../../../src/contract/host-vocabulary.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('host grants');
const text = (value: string) => new TextEncoder().encode(value);
const policy = (value: unknown) => parseHostPolicy(text(typeof value === 'string' ? value : JSON.stringify(value)));
const grantsOf = (value: unknown): Record<string, readonly string[]> | string => {
  const read = policy(value);
  return isLeft(read) ? read.left : Object.fromEntries(read.right);
};
const refused = (value: unknown) => assert.type(grantsOf(value), 'string', JSON.stringify(value));
const file = (grants: unknown) => ({ schemaVersion: 1, grants });

test('a policy is exactly schemaVersion 1 and grants [HOSTPOLICY-007] [HOSTPOLICY-009] [HOSTPOLICY-012]', () => {
  assert.equal(grantsOf(file({})), {});
  assert.equal(grantsOf(file({ office: ['workspace.'], web: [] })), { office: ['workspace.'], web: [] });
  for (const wrong of [
    {},
    { schemaVersion: 1 },
    { grants: {} },
    { schemaVersion: 2, grants: {} },
    { schemaVersion: '1', grants: {} },
    { ...file({}), note: '' },
    file([]),
    file(null),
    file({ office: 'workspace.' }),
    file({ office: [1] }),
    [],
    'null',
  ])
    refused(wrong);
});

test('keys are case-sensitive, and no key or prefix comes twice [HOSTPOLICY-008] [HOSTPOLICY-010]', () => {
  refused({ SchemaVersion: 1, grants: {} });
  refused({ schemaVersion: 1, Grants: {} });
  refused('{"schemaVersion":1,"schemaVersion":1,"grants":{}}');
  refused('{"schemaVersion":1,"grants":{"a":["x."],"a":["y."]}}');
  refused('{"schemaVersion":1,"grants":{"a":["x."],"\\u0061":["y."]}}');
  refused(file({ a: ['x.', 'x.'] }));
  assert.equal(grantsOf(file({ a: ['x.', 'x.y.'], b: ['x.'] })), { a: ['x.', 'x.y.'], b: ['x.'] });
});

test('malformed JSON and anything behind it is an error [HOSTPOLICY-011]', () => {
  for (const wrong of ['', '{', '{"schemaVersion":1,"grants":{}} {}', '{"schemaVersion":1,"grants":{},}', '\ufeff{}'])
    refused(wrong);
});

test('at most 128 add-ons, 32 prefixes each and 64 KiB [HOSTPOLICY-013] [HOSTPOLICY-002]', () => {
  const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const addons = (n: number) => file(Object.fromEntries(Array.from({ length: n }, (_, i) => [`a${i}`, ['x.']])));
  const prefixes = (n: number) => file({ a: Array.from({ length: n }, (_, i) => `${letters(i)}.`) });
  assert.type(grantsOf(addons(128)), 'object');
  refused(addons(129));
  assert.type(grantsOf(prefixes(32)), 'object');
  refused(prefixes(33));
  const padded = (bytes: number) => `${JSON.stringify(file({}))}${' '.repeat(bytes)}`.slice(0, bytes);
  assert.type(grantsOf(padded(65_536)), 'object');
  refused(padded(65_537));
});

test('ids and prefixes follow their grammar, in the file and in the flag [HOSTPOLICY-014] [HOSTPOLICY-015] [HOSTPOLICY-016]', () => {
  const unit = fc.constantFrom(...'abz09.-_AZ* é/='.split(''));
  const word = fc.string({ unit, maxLength: 8 });
  fc.assert(
    fc.property(word, word, (id, prefix) => {
      const good = /^[a-z0-9][a-z0-9-]*$/.test(id) && /^([a-z]+\.)+$/.test(prefix);
      assert.is(typeof grantsOf(file({ [id]: [prefix] })) === 'object', good);
      if (!id.includes('=')) assert.is(isLeft(parseHostOps(`${id}=${prefix}`)), !good || prefix.includes('='));
    }),
    {
      numRuns: 3_000,
      seed: 17,
      examples: [
        ['a', 'x.'],
        ['a-0', 'x.y.'],
        ['a', 'x.y'],
        ['a', '.'],
        ['-a', 'x.'],
        ['a', 'x.*'],
      ],
    },
  );
});

test('the flag takes pairs with commas between, an id as often as it has prefixes [HOSTPOLICY-035] [HOSTOPS-020]', () => {
  const read = (value: string) => {
    const grants = parseHostOps(value);
    return isLeft(grants) ? grants.left : Object.fromEntries(grants.right);
  };
  assert.equal(read(''), {});
  assert.equal(read('sandbox=workspace.,sandbox=egress.,web=workspace.'), {
    sandbox: ['workspace.', 'egress.'],
    web: ['workspace.'],
  });
  for (const wrong of ['sandbox', ',', 'sandbox=workspace.,', ' sandbox=workspace.', 'a=x.,a=x.', 'a=x.;b=y.'])
    assert.type(read(wrong), 'string', wrong);
});

test('the reviewed file grants what the former setting did, and no more [HOSTPOLICY-036] [HOSTPOLICY-048]', () => {
  const shipped = grantsOf(
    readFileSync(new URL('../../../../deploy/addons/host-policy.json', import.meta.url), 'utf8'),
  );
  const former = parseHostOps(
    'fine-tuning=finetune.,quantization=quantize.,sandbox=workspace.,sandbox=egress.,office=workspace.,web=workspace.,telegram=connector.',
  );
  assert.equal(shipped, isLeft(former) ? former.left : Object.fromEntries(former.right));
  assert.equal(shipped, {
    'fine-tuning': ['finetune.'],
    quantization: ['quantize.'],
    sandbox: ['workspace.', 'egress.'],
    office: ['workspace.'],
    web: ['workspace.'],
    telegram: ['connector.'],
  });
});

test('a prefix allows nothing that the host does not list, and no id but its own [HOSTPOLICY-017] [HOSTPOLICY-037]', () => {
  const policies = hostOpPolicies(HOST_OPERATIONS, new Map([['office', ['workspace.']]]));
  assert.ok(mayCall(policies('office'), 'workspace.export'));
  assert.not(mayCall(policies('office'), 'workspace.future'));
  assert.not(mayCall(policies('office'), 'egress.check'));
  assert.not(mayCall(policies('web'), 'workspace.export'));
});

test('a decision is a copy that nothing changes afterwards [HOSTPOLICY-029] [HOSTPOLICY-030] [HOSTOPS-011]', () => {
  const prefixes = ['workspace.'];
  const grants = new Map([['office', prefixes]]);
  const vocabulary = new Set(['workspace.export', 'egress.check']);
  const policies = hostOpPolicies(vocabulary, grants);
  prefixes.push('egress.');
  grants.set('web', ['workspace.']);
  vocabulary.delete('workspace.export');
  assert.ok(mayCall(policies('office'), 'workspace.export'));
  assert.not(mayCall(policies('office'), 'egress.check'));
  assert.not(mayCall(policies('web'), 'workspace.export'));
  assert.not(mayCall(hostOpPolicies(vocabulary, new Map())('office'), 'egress.check'));
});

test.run();
