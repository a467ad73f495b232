import { backendUpdate, selectBackend } from '../../../src/commands/library/backends.js';
import type { Release } from '../../../src/contract/api.js';
import { isLeft } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('choosing a backend');
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const image = (id: string, extra: Partial<Release> = {}): Release => ({
  sourceId: 'lib',
  kind: 'backend',
  id,
  name: id,
  version: '1.0.0',
  channel: 'latest',
  artifact: `oci://quay.io/a/b:${id}`,
  digest: digest('a'),
  os: 'linux',
  arch: 'amd64',
  ...extra,
});
const meta = (capabilities: Record<string, string>, extra: Partial<Release> = {}) =>
  image('store', { artifact: '', digest: '', os: '', arch: '', capabilities, ...extra });
const want = (name: string, version = 'latest', capabilities: readonly string[] = []) => ({
  name,
  version,
  os: 'linux',
  arch: 'amd64',
  capabilities,
});
const chosen = (releases: readonly Release[], wanted: ReturnType<typeof want>) => {
  const result = selectBackend(releases, wanted);
  return isLeft(result)
    ? result.left.refusal
    : `${result.right.release.id} ${result.right.release.arch} ${result.right.release.version}`;
};

test('the entry of kind backend for the platform of the host is chosen, by version or by channel [BACKENDS-040]', () => {
  const releases = [
    image('cpu', { kind: 'addon', version: '9.0.0' }),
    image('cpu', { arch: 'arm64' }),
    image('cpu', { os: 'darwin' }),
    image('cpu'),
    image('cpu', { version: '0.9.0', channel: 'old' }),
  ];
  assert.is(chosen(releases, want('cpu')), 'cpu amd64 1.0.0');
  assert.is(chosen(releases, want('cpu', '0.9.0')), 'cpu amd64 0.9.0');
  assert.is(chosen(releases, want('cpu', '9.0.0')), 'release_not_found');
  assert.is(chosen(releases, want('other')), 'release_not_found');
  assert.is(chosen([...releases, image('cpu', { version: '1.1.0' })], want('cpu')), 'release_not_found');
});

test('a meta backend leads to the image its capability names, in the same channel [BACKENDS-026]', () => {
  const releases = [
    meta({ default: 'cpu', nvidia: 'cuda' }),
    image('cpu'),
    image('cuda'),
    image('cuda', { channel: 'development', version: '2.0.0' }),
  ];
  assert.is(chosen(releases, want('store')), 'cpu amd64 1.0.0');
  assert.is(chosen(releases, want('store', 'latest', ['nvidia-cuda-12', 'nvidia'])), 'cuda amd64 1.0.0');
  const result = selectBackend(releases, want('store'));
  assert.is(!isLeft(result) && result.right.meta, 'store');
});

test('a meta backend that names nothing for the host, or what the library does not have, is refused [BACKENDS-027]', () => {
  assert.is(chosen([meta({ metal: 'cpu' }), image('cpu')], want('store')), 'release_not_found');
  assert.is(chosen([meta({ default: 'gone' })], want('store')), 'release_not_found');
  assert.is(chosen([meta({ default: 'cpu' }), image('cpu', { arch: 'arm64' })], want('store')), 'release_not_found');
  assert.is(chosen([meta({ default: 'store' })], want('store')), 'release_not_found');
});

test('an update is another build in the channel of the installed version, and never a guess [BACKENDS-055]', () => {
  const installed = { name: 'cpu', version: '1.0.0', digest: digest('a'), library: 'lib' };
  const host = { os: 'linux', arch: 'amd64' };
  const update = (releases: readonly Release[]) => backendUpdate(releases, installed, host)?.version;
  assert.is(update([image('cpu')]), undefined);
  assert.is(update([image('cpu', { digest: digest('b') })]), '1.0.0');
  const newer = image('cpu', { version: '1.1.0', digest: digest('b') });
  assert.is(update([newer]), '1.1.0');
  assert.is(
    update([newer, image('cpu', { version: '2.0.0', channel: 'development', digest: digest('c') })]),
    undefined,
  );
  assert.is(
    update([image('cpu'), image('cpu', { version: '2.0.0', channel: 'development', digest: digest('c') })]),
    undefined,
  );
  assert.is(update([image('cpu', { version: '1.1.0', mutable: true, digest: '' })]), undefined);
  assert.is(update([image('cpu', { arch: 'arm64', digest: digest('b') })]), undefined);
  assert.is(update([]), undefined);
});

test.run();
