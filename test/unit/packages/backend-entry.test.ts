import { isLeft, isRight } from '../../../src/contract/fp.js';
import { parseLibraryIndex } from '../../../src/packages/library-index.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('backend entries');
const DIGEST = `sha256:${'0a'.repeat(32)}`;

type Fields = Record<string, unknown>;
const concrete: Fields = {
  kind: 'backend',
  id: 'cpu-local-store',
  alias: 'local-store',
  name: 'cpu-local-store',
  description: 'Local Store is a local-first vector database.',
  license: 'MIT',
  icon: 'https://example.com/local-store.png',
  urls: ['https://github.com/mudler/LocalAI'],
  tags: ['vector-database', 'CPU'],
  version: '0.0.0-latest.0a1056fd8633',
  channel: 'latest',
  schemaVersion: 1,
  artifact: 'oci://quay.io/go-skynet/local-ai-backends:latest-cpu-local-store',
  digest: DIGEST,
  mirrors: ['oci://localai/localai-backends:latest-cpu-local-store'],
  capabilities: { default: 'cpu-local-store', metal: 'metal-local-store' },
  os: 'linux',
  arch: 'amd64',
};
const addon: Fields = {
  id: 'tables',
  name: 'Tables',
  version: '1.0.0',
  artifact: 'oci://quay.io/a/b:1.0.0',
  digest: DIGEST,
  os: 'linux',
  arch: 'amd64',
};
const meta: Fields = {
  kind: 'backend',
  id: 'local-store',
  name: 'local-store',
  version: '0.0.0-latest.0a1056fd8633',
  channel: 'latest',
  capabilities: { default: 'cpu-local-store' },
};

/** An undefined value leaves the field out. */
const yaml = (...entries: Fields[]) =>
  entries
    .map((entry) =>
      Object.entries(entry)
        .filter(([, value]) => value !== undefined)
        .map(([key, value], at) => `${at === 0 ? '- ' : '  '}${key}: ${JSON.stringify(value)}\n`)
        .join(''),
    )
    .join('');
const parse = (...entries: Fields[]) =>
  parseLibraryIndex(new TextEncoder().encode(yaml(...entries)), { sourceId: 'here', allowLoopbackHTTP: false });
const takes = (changes: Fields, base = concrete) => {
  const index = parse({ ...base, ...changes });
  if (isLeft(index)) throw new Error(index.left);
  return index.right.releases[0];
};
const refuses = (changes: Fields, pattern: RegExp, base = concrete) => {
  const index = parse(addon, { ...base, ...changes });
  assert.ok(isLeft(index), `${JSON.stringify(changes)} was accepted`);
  assert.match(index.left, pattern, JSON.stringify(changes));
};

test('the example of the chapter is read field by field, and any further field refuses the index [BACKENDS-010] [BACKENDS-008]', () => {
  const { kind: _kind, schemaVersion: _version, ...fields } = concrete;
  assert.equal(takes({}), { sourceId: 'here', kind: 'backend', ...fields });
  for (const field of ['selection', 'policy', 'sourceId', 'requires', 'extra', 'addonId', 'constructor'])
    refuses({ [field]: 'x' }, /unknown field/);
});

test('one schema with a kind: without one an entry is an add-on, and each is read by the rules of its kind [BACKENDS-001]', () => {
  const index = parse(addon, { kind: 'addon', ...addon, version: '1.0.1' }, concrete, meta);
  assert.ok(isRight(index));
  assert.equal(
    index.right.releases.map(({ kind, id }) => `${kind} ${id}`),
    ['addon tables', 'addon tables', 'backend cpu-local-store', 'backend local-store'],
  );
  assert.is(index.right.skipped, 0);
});

test('an entry of an unknown kind is skipped whatever its fields hold, and the others are read [BACKENDS-004] [BACKENDS-002]', () => {
  const strange = { kind: 'voice', id: { not: ['text'] }, version: 7, artifact: 'ftp://x', anything: { deep: [1] } };
  const index = parse(strange, addon, { kind: 'model', id: '../..' }, { ...strange, kind: 'a-new-kind' });
  assert.ok(isRight(index));
  assert.equal([index.right.releases.length, index.right.skipped], [1, 3]);
  assert.equal(index.right.skippedKinds, ['a-new-kind', 'model', 'voice']);
});

test('a kind that is not text or not a plain lower-case name refuses the whole index [BACKENDS-007]', () => {
  for (const kind of ['Backend', 'BACKEND', 'back end', '-backend', '', 7, true, null, ['backend'], { a: 1 }])
    refuses({ kind }, /kind that is not a plain lower-case name/);
});

test('a field of a backend on an add-on entry refuses the index, a display field included [BACKENDS-012] [BACKENDS-023]', () => {
  for (const field of ['alias', 'license', 'icon', 'urls', 'tags', 'schemaVersion', 'mirrors', 'capabilities'])
    refuses({ [field]: concrete[field] }, /unknown field/, addon);
});

test('tools, a page or an icon of an add-on on a backend entry refuses the index [CATALOG-041] [BACKENDS-022]', () => {
  refuses({ tools: ['a'] }, /unknown field/);
  refuses({ toolCount: 1 }, /unknown field/);
  for (const ui of [{ mainPage: 'main' }, { icon: 'ui/icon.png' }, {}]) refuses({ ui }, /unknown field/);
});

test('an absent header version is 1, and a higher one is refused [BACKENDS-013]', () => {
  assert.is(takes({ schemaVersion: undefined })?.id, 'cpu-local-store');
  for (const schemaVersion of [2, 0, '1', 1.5, null]) refuses({ schemaVersion }, /schemaVersion/);
});

test('links are http or https, the icon is https only [BACKENDS-014] [BACKENDS-015]', () => {
  assert.equal(takes({ urls: ['http://x.example/'] })?.urls, ['http://x.example/']);
  for (const url of [
    'javascript:alert(1)',
    'ftp://x.example/',
    'data:text/html,x',
    '//x.example',
    'x',
    ' https://x.example',
  ])
    refuses({ urls: [url] }, /urls/);
  for (const icon of [
    'http://x.example/i.png',
    'data:image/png;base64,x',
    'javascript:1',
    'ui/icon.png',
    'https://x\n',
  ])
    refuses({ icon }, /icon/);
});

test('the artifact and every mirror is an oci:// image [BACKENDS-021] [BACKENDS-016]', () => {
  for (const artifact of ['https://x.example/a.tar', 'http://127.0.0.1/a.tar', 'docker://x/y', 'oci://', 'oci://x', ''])
    refuses({ artifact }, /artifact/);
  for (const mirror of ['https://x.example/a.tar', 'quay.io/a/b', 'oci://x', 7])
    refuses({ mirrors: [mirror] }, /mirrors/);
  refuses({ artifact: `oci://quay.io/a/b@sha256:${'b'.repeat(64)}` }, /not an oci:\/\/ image/);
  assert.equal(takes({ mirrors: ['oci://b.example/x:1', 'oci://a.example/x:1'] })?.mirrors, [
    'oci://b.example/x:1',
    'oci://a.example/x:1',
  ]);
});

test('a backend name is the name of a folder: no separator, no dots that climb, nothing hidden [BACKENDS-024]', () => {
  for (const id of [
    'a/b',
    '/a',
    'a/',
    '..',
    '.',
    'a..b',
    '../a',
    '.hidden',
    'a\\b',
    'a\u0000b',
    'a b',
    '-a',
    'a'.repeat(129),
    '',
    7,
  ])
    refuses({ id }, /id|name/);
  for (const alias of ['a/b', '..', '']) refuses({ alias }, /alias/);
  for (const target of ['../x', 'a/b', '']) refuses({ capabilities: { default: target } }, /capabilities/);
  for (const id of ['llama-cpp', 'cuda12-llama-cpp', 'rocm_x', 'whisper.cpp', 'A1']) assert.is(takes({ id })?.id, id);
});

test('capabilities name a backend for what a host can do [BACKENDS-018]', () => {
  const map = { default: 'a', nvidia: 'b', 'nvidia-cuda-12': 'c', metal: 'd' };
  assert.equal(takes({ capabilities: map })?.capabilities, map);
  for (const capabilities of [{}, [], 'default', { default: 7 }, { 'Not A Name': 'a' }])
    refuses({ capabilities }, /capabilities/);
});

test('a mutable entry keeps its tag and has no digest; every other one needs it [BACKENDS-019] [BACKENDS-028]', () => {
  const moving = { mutable: true, digest: undefined, mirrors: undefined, channel: 'development' };
  const release = takes({ ...moving, artifact: 'oci://quay.io/a/b:master-x' });
  assert.equal([release?.mutable, release?.digest, release?.artifact], [true, '', 'oci://quay.io/a/b:master-x']);
  refuses({ ...moving, digest: DIGEST }, /mutable without one/);
  refuses({ digest: undefined }, /needs a digest/);
  refuses({ ...moving, mutable: false }, /mutable/);
  refuses({ ...moving, mirrors: concrete.mirrors }, /no mirrors/);
});

test('a meta backend has capabilities and nothing of an image [BACKENDS-025]', () => {
  const release = takes({}, meta);
  assert.equal([release?.artifact, release?.digest, release?.os, release?.arch], ['', '', '', '']);
  for (const field of ['digest', 'os', 'arch', 'mirrors']) refuses({ [field]: concrete[field] }, /meta backend/, meta);
  refuses({ capabilities: undefined }, /neither/, meta);
});

test('a backend for several platforms has an entry for each, and one platform only once [BACKENDS-011]', () => {
  const index = parse(concrete, { ...concrete, arch: 'arm64' }, { ...concrete, os: 'darwin', arch: 'arm64' });
  assert.ok(isRight(index) && index.right.releases.length === 3);
  refuses({ os: undefined }, /platform/);
  const twice = parse(concrete, concrete);
  assert.ok(isLeft(twice) && /repeats/.test(twice.left));
});

test('a library of backends may list more entries than a library of add-ons, up to a bound', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...meta,
      id: `b-${at}`,
      name: 'b',
      channel: undefined,
    }));
  assert.ok(isRight(parse(...many(1240))));
  assert.ok(isLeft(parse(...many(4001))));
});

test.run();
