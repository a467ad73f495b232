import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { decodePreview, decodeReceipt, decodeRegistration, decodeResult } from '../../src/contract/answers.js';
import { decodeEnvelope } from '../../src/contract/envelope.js';
import { BEYOND_SCHEMA, manifestSchema } from '../../src/contract/manifest/json-schema.js';
import { parseManifest } from '../../src/contract/manifest.js';
import { assert, suite } from '../support/harness.js';
import { groups, type ManifestCase, type MessageCase } from './corpus.js';
import './corpus/identity.js';
import './corpus/messages.js';
import './corpus/services.js';
import './corpus/tools.js';
import './corpus/ui.js';

const test = suite('contract corpus');

const decoders = {
  envelope: decodeEnvelope,
  result: decodeResult,
  preview: decodePreview,
  receipt: decodeReceipt,
  registration: decodeRegistration,
};

function judgeMessage({ kind, text, valid }: MessageCase): void {
  const decoded = decoders[kind](new TextEncoder().encode(text));
  assert.is(decoded._tag === 'Right', valid, `${kind} ${text}`);
}

function judgeManifest({ text, problem }: ManifestCase): void {
  const result = parseManifest(text);
  const found = result._tag === 'Left' ? result.left.map(({ path, rule }) => `${path} ${rule}`) : [];
  assert.equal(found, problem === undefined ? [] : [problem], text.slice(0, 4_000));
  for (const { message } of result._tag === 'Left' ? result.left : [])
    assert.match(message, /^(?:[A-Z"][^\n]*\.|invalid or incompatible UI)$/, 'one sentence');
}

for (const { title, cases } of groups)
  test(title, () => {
    assert.ok(cases.length > 0);
    for (const one of cases) one.kind === 'manifest' ? judgeManifest(one) : judgeMessage(one);
  });

const manifests = groups.flatMap(({ cases }) => cases.filter((one) => one.kind === 'manifest'));

test('the corpus has at least 300 different documents, right ones and wrong ones', () => {
  const all = groups.flatMap(({ cases }) => cases);
  assert.ok(new Set(all.map(({ kind, text }) => `${kind} ${text}`)).size >= 300);
  assert.ok(manifests.filter(({ problem }) => problem === undefined).length >= 50);
});

/** Problems of the text rather than of the value, and rules that JSON Schema can say in part only. */
const OF_THE_TEXT = ['too-large', 'syntax', 'encoding', 'duplicate-key'];
const IN_PART = ['sdk-range', 'reserved-id'];

test('the published schema and the parser agree on the whole corpus', () => {
  const accepts = new Ajv2020({ strict: false, allErrors: false }).compile(manifestSchema());
  for (const { text, problem } of manifests) {
    const rule = problem?.split(' ').at(-1) ?? '';
    if (OF_THE_TEXT.includes(rule) || IN_PART.includes(rule)) continue;
    const expected = problem === undefined || BEYOND_SCHEMA.includes(rule);
    assert.is(
      accepts(JSON.parse(text)),
      expected,
      `${problem} ${JSON.stringify(accepts.errors?.slice(0, 2))} ${text.slice(0, 3_000)}`,
    );
  }
});

test('every rule that is said to be beyond the schema stands in the corpus', () => {
  const seen = new Set(manifests.map(({ problem }) => problem?.split(' ').at(-1)));
  assert.equal(
    BEYOND_SCHEMA.filter((rule) => !seen.has(rule) && !['schema-depth', 'schema-size'].includes(rule)),
    [],
  );
});

test('docs/manifest.schema.json is the generated schema', () => {
  const published = readFileSync('docs/manifest.schema.json', 'utf8');
  assert.equal(JSON.parse(published), JSON.parse(JSON.stringify(manifestSchema())));
});

test.run();
