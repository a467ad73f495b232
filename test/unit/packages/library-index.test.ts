import { isLeft, isRight } from '../../../src/contract/fp.js';
import { MAX_INDEX_BYTES } from '../../../src/packages/index-format.js';
import { parseIndexInWorker } from '../../../src/packages/index-parser.js';
import { type LibraryIndex, parseLibraryIndex } from '../../../src/packages/library-index.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('library index');
const DIGEST = `sha256:${'a'.repeat(64)}`;
const base = {
  id: 'tables',
  name: 'Tables',
  version: '1.0.0',
  artifact: 'https://library.example/tables.tar',
  digest: DIGEST,
  os: 'linux',
  arch: 'amd64',
};

type Fields = Record<string, unknown>;
/** A block list; every value is written as JSON, which is YAML too. */
const yaml = (...entries: Fields[]) =>
  entries
    .map((entry) =>
      Object.entries(entry)
        .map(([key, value], at) => `${at === 0 ? '- ' : '  '}${key}: ${JSON.stringify(value)}\n`)
        .join(''),
    )
    .join('');
const parse = (text: string | Uint8Array, allowLoopbackHTTP = false) =>
  parseLibraryIndex(typeof text === 'string' ? new TextEncoder().encode(text) : text, {
    sourceId: 'here',
    allowLoopbackHTTP,
  });
const problem = (text: string | Uint8Array, allowLoopbackHTTP = false): string => {
  const result = parse(text, allowLoopbackHTTP);
  return isLeft(result) ? result.left : 'accepted';
};
const accepted = (text: string | Uint8Array, allowLoopbackHTTP = false): LibraryIndex => {
  const result = parse(text, allowLoopbackHTTP);
  if (isLeft(result)) throw new Error(result.left);
  return result.right;
};
const without = (key: string) => Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));
const refuses = (changes: Fields, pattern: RegExp) => assert.match(problem(yaml({ ...base, ...changes })), pattern);
const takes = (changes: Fields) => accepted(yaml({ ...base, ...changes }));

test('the example of the chapter is read field by field [CATALOG-025] [CATALOG-029]', () => {
  const index = accepted(`- id: tables
  name: Tables
  description: Tables for LocalAI
  version: 1.0.0
  channel: latest
  artifact: oci://quay.io/go-skynet/local-ai-addons:1.0.0
  digest: sha256:${'0'.repeat(64)}
  os: linux
  arch: amd64
  ui:
    title: Tables
    mainPage: databases
`);
  assert.equal(index.releases, [
    {
      sourceId: 'here',
      kind: 'addon',
      id: 'tables',
      name: 'Tables',
      description: 'Tables for LocalAI',
      version: '1.0.0',
      channel: 'latest',
      artifact: 'oci://quay.io/go-skynet/local-ai-addons:1.0.0',
      digest: `sha256:${'0'.repeat(64)}`,
      os: 'linux',
      arch: 'amd64',
      ui: { title: 'Tables', mainPage: 'databases' },
    },
  ]);
});

test('every required field is required [CATALOG-025]', () => {
  for (const key of Object.keys(base)) assert.match(problem(yaml(without(key))), /^entry 1 /, key);
});

test('addonId is read in place of id, but not beside it [CATALOG-026]', () => {
  assert.is(accepted(yaml({ ...without('id'), addonId: 'tables' })).releases[0]?.id, 'tables');
  assert.match(problem(yaml({ ...base, addonId: 'tables' })), /exactly one id/);
});

test('ids follow the namespace rule and never take the name of a host route [MANIFEST-073]', () => {
  for (const id of ['Tables', '1tables', 'a/b', '../x', 'a'.repeat(65), '', 'tables '])
    refuses({ id }, /id that is not a/);
  for (const id of 'apps proposals artifacts resources conversations dispatch relay catalog icon assets installed sources builtin pins'.split(
    ' ',
  ))
    refuses({ id }, /not reserved/);
});

test('versions are major.minor.patch with at most a lower-case prerelease', () => {
  for (const version of [
    '1.0',
    'v1.0.0',
    '1.0.0+build',
    '1.0.0-1',
    '1.0.0-RC',
    '01.0.0',
    'latest',
    '1.0.0-',
    '1.0.0-a..b',
    1,
  ])
    refuses({ version }, /version that is not/);
  for (const version of ['0.0.1', '10.20.30', '1.0.0-rc', '1.0.0-rc.1', '1.0.0-dev-2.0a1b']) takes({ version });
});

test('an artifact is an oci reference or an HTTPS address, all else is refused [CATALOG-027] [PACKAGE-018]', () => {
  for (const artifact of ['oci://quay.io/a/b:1.0.0', 'oci://127.0.0.1:5000/a', 'https://library.example:8443/a/b.tar'])
    takes({ artifact });
  for (const artifact of [
    'http://library.example/a.tar',
    'http://localhost/a.tar',
    'http://127.0.0.1:80/a.tar',
    'ftp://library.example/a.tar',
    'file:///etc/passwd',
    'https://user:secret@library.example/a.tar',
    'https://user@library.example/a.tar',
    'https://library.example/a.tar?x=1',
    'https://library.example/a.tar?',
    'https://library.example/a.tar#',
    'https:\\\\library.example\\a.tar',
    ' https://library.example/a.tar',
    'https://library.example/a\n.tar',
    'oci://quay.io',
    'oci://user@quay.io/a',
    'oci://quay.io/../a',
    'oci://quay.io/A',
    `oci://quay.io/a@${DIGEST}x`,
    '',
  ])
    refuses({ artifact }, /entry 1 has an artifact that is refused/);
});

test('plain HTTP needs the opt-in of the source and a literal loopback address [PACKAGE-017]', () => {
  for (const artifact of ['http://127.0.0.1:9000/a.tar', 'http://[::1]:9000/a.tar', 'http://127.9.9.9/a.tar'])
    assert.is(accepted(yaml({ ...base, artifact }), true).releases.length, 1, artifact);
  for (const artifact of [
    'http://localhost:9000/a.tar',
    'http://127.0.0.1.example/a.tar',
    'http://10.0.0.1/a.tar',
    'http://[::ffff:127.0.0.1]/a.tar',
  ])
    assert.match(problem(yaml({ ...base, artifact }), true), /plain HTTP/, artifact);
});

test('a digest is sha256 and 64 lower-case hex digits [CATALOG-028]', () => {
  for (const digest of [
    'a'.repeat(64),
    `sha256:${'A'.repeat(64)}`,
    `sha256:${'a'.repeat(63)}`,
    `sha256:${'a'.repeat(65)}`,
    `sha512:${'a'.repeat(64)}`,
    '',
  ])
    refuses({ digest }, /digest that is not/);
});

test('a mutable entry has no digest and an oci artifact', () => {
  const mutable = { ...without('digest'), mutable: true, artifact: 'oci://quay.io/a/b:development' };
  assert.is(accepted(yaml(mutable)).releases[0]?.digest, '');
  assert.match(problem(yaml({ ...mutable, digest: DIGEST })), /mutable without one/);
  assert.match(problem(yaml({ ...mutable, artifact: base.artifact })), /only an oci/);
});

test('platforms and channels are plain labels', () => {
  for (const os of ['Linux', 'linux/amd64', '', 386]) refuses({ os }, /os that is not/);
  for (const channel of ['a..b', 'a//b', '/a', 'a/', 'a b', 'a'.repeat(129)])
    refuses({ channel }, /channel that is not/);
  for (const channel of ['latest', 'development', 'branch/name', 'branch-x-0123456789ab']) takes({ channel });
});

test('an unknown field fails the refresh, selection, policy and source of an entry included [CATALOG-030] [CATALOG-033] [CATALOG-056]', () => {
  for (const field of ['selection', 'sourceId', 'authReference', 'extra', 'constructor'])
    refuses({ [field]: 'x' }, /unknown field/);
  refuses({ policy: 'x' }, /entry 1 /);
  refuses({ ui: { title: 'x', extra: 'x' } }, /unknown field/);
  assert.is(accepted(yaml(base)).releases[0]?.sourceId, 'here');
  assert.is(accepted(yaml(base)).releases[0]?.selection, undefined);
});

test('a second document, a repeated key, an alias, an anchor, a tag or a directive is refused [CATALOG-030]', () => {
  const one = yaml(base);
  assert.match(problem(`${one}---\n${one}`), /more than one document/);
  assert.match(problem(`${one}  name: Again\n`), /repeats a key/);
  assert.match(problem(`${one}  "n\\u0061me": Again\n`), /repeats a key/);
  assert.match(problem(`${one}  description: *a\n`), /not well-formed|alias/);
  assert.match(problem(`- &a\n${one.slice(2).replace(/^(?! )/, '  ')}`), /anchor/);
  assert.match(problem(one.replace('"Tables"', '!!str "Tables"')), /tag|well-formed/);
  assert.match(problem(one.replace('"Tables"', '!!js/function "x"')), /tag|well-formed/);
  assert.match(problem(`%YAML 1.2\n---\n${one}`), /directive/);
  assert.match(problem(`%TAG ! tag:x,2026:\n---\n${one}`), /directive/);
  assert.match(problem(`${one}  <<: {id: x}\n`), /not allowed/);
  assert.match(problem(`${one}  __proto__: {id: x}\n`), /not allowed/);
  assert.match(problem(`\ufeff${one}`), /byte order mark/);
  assert.match(problem(new Uint8Array([0x2d, 0x20, 0xff])), /UTF-8/);
  assert.is(accepted(`---\n${one}`).releases.length, 1);
});

test('a JSON array is refused, exactly [] is the empty library [CATALOG-031]', () => {
  assert.equal(accepted('[]').releases, []);
  assert.equal(accepted('[]\n').releases, []);
  assert.match(problem(JSON.stringify([base])), /JSON array/);
  assert.match(problem(`[\n${JSON.stringify(base)}\n]`), /JSON array/);
  assert.match(problem('[ ]'), /JSON array/);
  for (const text of ['', '# nothing\n', 'null\n', '{}\n', 'id: tables\n', 'text'])
    assert.is.not(problem(text), 'accepted');
});

test('the icon hint is a path inside the package [CATALOG-035]', () => {
  takes({ ui: { icon: 'ui/icon.png', title: 'T', description: 'D', mainPage: 'main', launchMode: 'always' } });
  for (const icon of [
    'https://x.example/i.png',
    'data:image/png;base64,x',
    '/i.png',
    '../i.png',
    'a/./i.png',
    'i.svg',
    'i.gif',
    'a\\i.png',
    'a%2fi.png',
  ])
    refuses({ ui: { icon } }, /icon that is not/);
});

test('one broken display hint fails the whole refresh [CATALOG-036]', () => {
  for (const ui of [
    { title: 'x'.repeat(81) },
    { title: '<b>x</b>' },
    { title: 'a\u202eb' },
    { title: 'a\u0007b' },
    { title: '' },
    { description: 'x'.repeat(281) },
    { mainPage: 'Not A Page' },
    { launchMode: 'on-demand' },
    'text',
  ])
    assert.match(problem(yaml({ ...base, id: 'good' }, { ...base, ui })), /^entry 2 /);
  takes({ ui: { title: 'é'.repeat(80), description: 'x'.repeat(280) } });
});

test('tools holds at most 32 names and toolCount is the full number [CATALOG-038]', () => {
  const names = Array.from({ length: 32 }, (_, at) => `tool-${at}`);
  assert.is(takes({ tools: names, toolCount: 90 }).releases[0]?.toolCount, 90);
  refuses({ tools: [...names, 'one-more'], toolCount: 33 }, /tools that is not/);
  refuses({ tools: ['a', 'a'], toolCount: 2 }, /tools that is not/);
  refuses({ tools: ['Bad Name'], toolCount: 1 }, /tools that is not/);
  refuses({ tools: ['a', 'b'], toolCount: 1 }, /toolCount below/);
  for (const toolCount of [-1, 1.5, '3', 1e9]) refuses({ toolCount }, /toolCount that is not/);
});

test('entries of other kinds are skipped and counted, whatever their fields', () => {
  const index = accepted(yaml(base, { kind: 'model', anything: { at: 'all' } }, { kind: 'voice', id: 'x' }));
  assert.is(index.releases.length, 1);
  assert.is(index.skipped, 2);
  assert.equal(index.skippedKinds, ['model', 'voice']);
  for (const kind of ['Model', '', 3, null, ['addon']]) assert.match(problem(yaml({ ...base, kind })), /kind/);
});

test('an index over 1 MiB is refused on its bytes, before it is read [CATALOG-042]', async () => {
  const bytes = new Uint8Array(MAX_INDEX_BYTES + 1).fill(0x20);
  assert.match(problem(bytes), /larger than 1 MiB/);
  const result = await parseIndexInWorker(
    bytes,
    { sourceId: 'x', allowLoopbackHTTP: false },
    new AbortController().signal,
  );
  assert.ok(isLeft(result));
});

test('more than 1,000 releases are refused, 1,000 are read [CATALOG-043]', () => {
  const many = (count: number) =>
    yaml(...Array.from({ length: count }, (_, at) => ({ ...base, version: `1.0.${at}` })));
  assert.is(accepted(many(1000)).releases.length, 1000);
  assert.match(problem(many(1001)), /more than 1,000/);
});

test('one release twice fails the refresh, whatever its channel or digest [CATALOG-044]', () => {
  assert.match(problem(yaml(base, base)), /entry 2 repeats/);
  assert.match(
    problem(yaml(base, { ...base, channel: 'other', digest: `sha256:${'b'.repeat(64)}` })),
    /entry 2 repeats/,
  );
  assert.is(accepted(yaml(base, { ...base, arch: 'arm64' }, { ...base, version: '1.0.1' })).releases.length, 3);
});

test('the fields of the update check are read as hints', () => {
  const requires = { host: { min: 1, max: 2 }, sdk: { min: 2, max: 2 } };
  assert.equal(takes({ requires }).releases[0]?.requires, requires);
  for (const bad of [{ host: { min: 2, max: 1 } }, { host: { min: 0, max: 1 } }, { os: { min: 1, max: 1 } }])
    assert.is.not(problem(yaml({ ...base, requires: bad })), 'accepted');
});

test('an index of 1 MiB is parsed off the main thread, which goes on meanwhile', async () => {
  const filler = 'x'.repeat(500);
  const text = yaml(
    ...Array.from({ length: 1000 }, (_, at) => ({ ...base, version: `1.0.${at}`, description: `${filler} ${at}` })),
  );
  assert.ok(text.length > 600_000 && text.length <= MAX_INDEX_BYTES);
  const started = performance.now();
  let worst = 0;
  let last = performance.now();
  const ticker = setInterval(() => {
    worst = Math.max(worst, performance.now() - last);
    last = performance.now();
  }, 1);
  const result = await parseIndexInWorker(
    new TextEncoder().encode(text),
    { sourceId: 'x', allowLoopbackHTTP: false },
    new AbortController().signal,
  );
  clearInterval(ticker);
  assert.ok(isRight(result) && result.right.releases.length === 1000);
  const took = performance.now() - started;
  assert.ok(worst < took / 2, `the loop stood still for ${worst} of ${took} ms`);
});

test('hostile documents of 1 MiB are refused within the deadline', async () => {
  const size = MAX_INDEX_BYTES;
  for (const text of ['['.repeat(size), Array.from({ length: 60_000 }, (_, at) => `k${at}: 1`).join('\n')]) {
    const started = performance.now();
    const result = await parseIndexInWorker(
      new TextEncoder().encode(text).subarray(0, size),
      { sourceId: 'x', allowLoopbackHTTP: false },
      new AbortController().signal,
    );
    assert.ok(isLeft(result), text.slice(0, 12));
    assert.ok(performance.now() - started < 25_000, text.slice(0, 12));
  }
}, 180_000);

test('an abort ends the parsing at once', async () => {
  const stop = new AbortController();
  const running = parseIndexInWorker(
    new TextEncoder().encode('- '.repeat(400_000)),
    { sourceId: 'x', allowLoopbackHTTP: false },
    stop.signal,
  );
  stop.abort();
  const result = await running;
  assert.ok(isLeft(result) && /cancelled/.test(result.left));
});

test.run();
