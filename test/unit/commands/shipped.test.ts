import { FURTHER_DEFAULTS, isShippedAddress, officialLibrary } from '../../../src/commands/library/shipped.js';
import { checkSettings } from '../../../src/commands/library/source-rules.js';
import { isLeft } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('sources that ship with the product');

const SERVED_AT = 'http://127.0.0.1:4711/index.yaml';

test('a build of a version tag reads the index of that release, signed by the run of that tag and no other [LIBRARY-005] [LIBRARY-006]', () => {
  const official = officialLibrary('v1.2.3', SERVED_AT);
  assert.is(official?.url, 'https://github.com/mudler/LocalAI/releases/download/v1.2.3/addons-index.yaml');
  assert.is(official?.servedAt, undefined);
  const { requireSignature, issuer, identity, identityRegex } = official?.policy ?? {};
  assert.is(requireSignature, true);
  assert.is(issuer, 'https://token.actions.githubusercontent.com');
  assert.match(identity ?? '', /^https:\/\/github\.com\/mudler\/LocalAI\/.+@refs\/tags\/v1\.2\.3$/);
  assert.is(identityRegex, undefined);
  assert.is(isLeft(checkSettings(official as never, new Set())), false);
});

test('every other build reads the library that it serves itself, which needs no address on the network', () => {
  for (const tag of [undefined, '1.2.3', 'v1', 'v1.2.3/../../x', 'master', 'v01.2.3', 'v1.2.3 ']) {
    const official = officialLibrary(tag, SERVED_AT);
    assert.equal([official?.url, official?.servedAt], ['shipped', SERVED_AT], String(tag));
  }
  assert.is(officialLibrary(undefined, undefined), undefined);
});

test('only an address that a build chose may be moved by another build', () => {
  for (const url of [
    'shipped',
    'https://github.com/mudler/LocalAI/releases/download/v1.2.3/addons-index.yaml',
    'https://raw.githubusercontent.com/mudler/LocalAI/master/gallery/addons/index.yaml',
  ])
    assert.ok(isShippedAddress(url), url);
  for (const url of [
    'https://github.com/mudler/LocalAI/releases/download/v1/x/addons-index.yaml',
    'https://github.com/other/LocalAI/releases/download/v1.2.3/addons-index.yaml',
    'https://mirror.example/addons-index.yaml',
  ])
    assert.not.ok(isShippedAddress(url), url);
});

test('of the defaults of one kind only the one this build reads is on, and a backend library names a signer pattern [SOURCES-006] [BACKENDS-003]', () => {
  for (const kind of ['backend', 'model']) {
    const ofKind = FURTHER_DEFAULTS.filter((source) => source.kind === kind);
    assert.equal(
      ofKind.map(({ format, enabled }) => `${format} ${enabled}`),
      ['library true', 'gallery false'],
    );
  }
  const backends = FURTHER_DEFAULTS.find(({ id }) => id === 'official-backends');
  assert.is(backends?.url, 'https://raw.githubusercontent.com/mudler/LocalAI/master/gallery/backends/index.yaml');
  const pattern = new RegExp(backends?.policy.identityRegex ?? '(?!)');
  const signer = 'https://github.com/mudler/LocalAI/.github/workflows/backend_merge.yml@refs/';
  assert.ok(pattern.test(`${signer}heads/master`) && pattern.test(`${signer}tags/v1.2.3`));
  assert.not.ok(pattern.test(`${signer}heads/other`) || pattern.test(`x${signer}heads/master`));
  for (const source of FURTHER_DEFAULTS) assert.is(isLeft(checkSettings(source, new Set())), false, source.id);
});

test.run();
