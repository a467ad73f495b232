/** The entries of a library: pinned for a release, moving for development, and what a reader makes of them (15:82-100,188-204). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isLeft, isRight } from '../../../../src/contract/fp.js';
import { signerOf } from '../../../../src/contract/package-signer.js';
import { artifactAddress } from '../../../../src/packages/artifact-address.js';
import { renderRows } from '../../../../src/packages/builder/index-writer.js';
import { joinLayouts } from '../../../../src/packages/layout/join.js';
import { parseLibraryIndex } from '../../../../src/packages/library-index.js';
import { developmentEntries, type ReleaseInput, releaseEntries } from '../../../../src/packages/release/catalog.js';
import { withTools } from '../../../../src/packages/release/catalog-tools.js';
import { parsePackageConfig } from '../../../../src/packages/release/platforms.js';
import { assert, suite } from '../../../support/harness.js';
import { COMMIT, FULL, layoutOf, readModel } from '../../../support/layouts.js';
import { manifest } from '../../../support/package-store.js';
import { tempDir } from '../../../support/temp-dir.js';

const test = suite('catalog entries');
const REPOSITORY = 'registry.example/team/addons';
const signer = signerOf('owner/repository', 'refs/tags/v1.2.3');
const SIGNER = isLeft(signer) ? undefined : signer.right;
const read = (text: string) => parseLibraryIndex(Buffer.from(text), { sourceId: 's', allowLoopbackHTTP: false });
const releasesOf = (text: string) => {
  const index = read(text);
  if (isLeft(index)) throw new Error(index.left);
  return index.right.releases;
};

async function joined() {
  const parts = [await layoutOf(FULL), await layoutOf(FULL, { platform: 'linux/arm64' })];
  const out = join(tempDir('joined'), 'out');
  const made = await joinLayouts(parts, out);
  if (isLeft(made)) throw new Error(made.left);
  return { layout: out, digests: parts.map((part) => readModel(part).blob.digest as string) };
}
const rendered = async (input: Partial<ReleaseInput> & { layout: string }): Promise<string> => {
  const rows = await releaseEntries({ repository: REPOSITORY, name: '1.2.3', channel: 'latest', ...input });
  const text = isLeft(rows) ? rows : renderRows(rows.right);
  return isLeft(text) ? `refused: ${text.left}` : text.right;
};

test('a release has one entry a platform, pinned by the digest of its image [DIST-042] [DIST-090]', async () => {
  const { layout, digests } = await joined();
  const releases = releasesOf(await rendered({ layout }));
  assert.equal(
    releases.map(({ os, arch, digest, version, mutable }) => [os, arch, digest, version, mutable]),
    [
      ['linux', 'amd64', digests[0], '1.2.3', undefined],
      ['linux', 'arm64', digests[1], '1.2.3', undefined],
    ],
  );
});

test('an entry names repository and immutable tag, the channel it is current for and the expected signer [DIST-091]', async () => {
  const { layout, digests } = await joined();
  assert.ok(SIGNER !== undefined);
  const entries = parse(await rendered({ layout, signer: SIGNER })) as Record<string, unknown>[];
  assert.is(entries.length, 2);
  for (const [at, entry] of entries.entries()) {
    assert.is(entry.artifact, 'oci://registry.example/team/addons:sample-1.2.3');
    assert.is(entry.digest, digests[at]);
    assert.is(entry.channel, 'latest');
    assert.equal(entry.policy, {
      requireSignature: true,
      issuer: 'https://token.actions.githubusercontent.com',
      identity: 'https://github.com/owner/repository/.github/workflows/addons-package.yml@refs/tags/v1.2.3',
    });
  }
  const commit = `sha-${COMMIT.slice(0, 12)}`;
  assert.match(await rendered({ layout, name: commit, channel: 'development' }), new RegExp(`sample-${commit}`));
  for (const wrong of [
    { name: 'latest' },
    { name: '1.2.4' },
    { name: 'sha-000000000000' },
    { channel: 'stable' },
    { repository: 'quay.io/go-skynet/local-ai-backends' },
    { repository: undefined },
    { layout: await layoutOf(FULL) },
  ])
    assert.match(await rendered({ layout, ...wrong }), /^refused: /, JSON.stringify(wrong));
});

test('a template names what people read and cannot say another thing than the package [DIST-090]', async () => {
  const { layout } = await joined();
  const template = [
    '- id: sample',
    '  name: A better name',
    '  description: Words for people.',
    `  version: \${version}`,
    `  channel: \${channel}`,
    `  artifact: \${artifact}`,
    `  digest: \${digest}`,
    `  os: \${os}`,
    `  arch: \${arch}`,
  ].join('\n');
  const [one] = releasesOf(await rendered({ layout, template }));
  assert.equal([one?.name, one?.description, one?.arch], ['A better name', 'Words for people.', 'amd64']);
  for (const [from, to] of [
    ['id: sample', 'id: other'],
    [`version: \${version}`, 'version: 9.9.9'],
    [`digest: \${digest}`, `digest: sha256:${'0'.repeat(64)}`],
    [`os: \${os}`, `os: \${surprise}`],
    ['  name: A better name', '  surprise: 1'],
    ['- id: sample', '- id: sample\n- id: second'],
  ] as const)
    assert.match(await rendered({ layout, template: template.replace(from, to) }), /^refused: the template/, to);
});

test('a development entry names the moving tag, is mutable and has no digest [DIST-043]', async () => {
  const root = tempDir('checkout');
  mkdirSync(join(root, 'addons/sample'), { recursive: true });
  writeFileSync(join(root, 'addons/sample/manifest.json'), JSON.stringify(manifest()));
  const legs = ['linux/amd64', 'linux/arm64']
    .map(
      (platform, at) =>
        `  - platform: ${platform}\n    runner: r\n    enabled: ${at === 0}\n    checks:\n      executable-start: 2026-11-30\n`,
    )
    .join('');
  const config = parsePackageConfig(Buffer.from(`addon: sample\nexecutable: sample\nplatforms:\n${legs}`), root);
  if (isLeft(config)) throw new Error(config.left);
  const rows = await developmentEntries({ configs: [config.right], repository: REPOSITORY });
  const text = isLeft(rows) ? rows : renderRows(rows.right);
  if (isLeft(text)) throw new Error(text.left);
  const entries = parse(text.right) as Record<string, unknown>[];
  assert.is(entries.length, 1, 'only the enabled platform');
  assert.is(entries[0]?.artifact, 'oci://registry.example/team/addons:sample-development');
  assert.is(entries[0]?.mutable, true);
  assert.not.ok('digest' in (entries[0] ?? {}));
  assert.equal([releasesOf(text.right)[0]?.mutable, releasesOf(text.right)[0]?.digest], [true, '']);
});

const ENTRY = {
  id: 'sample',
  name: 'Sample',
  version: '1.0.0',
  artifact: 'oci://registry.example/addons:sample-development',
  mutable: true,
  os: 'linux',
  arch: 'amd64',
};
const indexOf = (...entries: object[]) =>
  entries
    .map(
      (entry) =>
        `- ${Object.entries(entry)
          .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
          .join('\n  ')}`,
    )
    .join('\n');

test('a mutable entry that is no OCI artifact, or has a digest, is refused with its whole index [DIST-045]', () => {
  assert.ok(isRight(read(indexOf(ENTRY))));
  const tar = read(indexOf({ ...ENTRY, artifact: 'https://library.example/sample.tar' }));
  assert.ok(isLeft(tar) && /mutable, which only an oci/.test(tar.left));
  assert.ok(isLeft(read(indexOf({ ...ENTRY, digest: `sha256:${'0'.repeat(64)}` }))));
  assert.ok(isLeft(read(indexOf({ ...ENTRY, mutable: false }))));
});

test('a reference may have a tag and a repository of any depth [DIST-049]', () => {
  for (const repository of ['addons', 'team/addons', 'a/b/c/d/e/f']) {
    const address = artifactAddress(`oci://registry.example:5000/${repository}:sample-1.0.0`, false);
    assert.equal(isLeft(address) || address.right, {
      scheme: 'oci',
      host: 'registry.example:5000',
      repository,
      tag: 'sample-1.0.0',
    });
  }
});

test('the older form with a repository for each add-on is still read [DIST-050]', () => {
  const artifact = 'oci://quay.io/go-skynet/local-ai-addons/sample:1.0.0';
  const [release] = releasesOf(indexOf({ ...ENTRY, artifact }));
  assert.is(release?.artifact, artifact);
  const address = artifactAddress(artifact, false);
  assert.ok(isRight(address) && address.right.scheme === 'oci');
  assert.equal(isRight(address) && address.right.scheme === 'oci' && [address.right.repository, address.right.tag], [
    'go-skynet/local-ai-addons/sample',
    '1.0.0',
  ]);
});

test('an entry carries what the package requires of a host, as a hint [DIST-093]', async () => {
  const { layout } = await joined();
  const [release] = releasesOf(await rendered({ layout }));
  const one = { min: 1, max: 1 };
  assert.equal(release?.requires, {
    host: one,
    api: { min: 1, max: 2 },
    protocol: one,
    dataFormat: one,
    sdk: { min: 1, max: 2 },
  });
  assert.ok(isLeft(read(`${indexOf(ENTRY)}\n  requires: { host: { min: 2, max: 1 } }`)));
});

test('the signer an entry names is read and does not get through to a release [DIST-094]', () => {
  const policy = { requireSignature: false, issuer: 'https://issuer.example', identity: 'anyone' };
  const text = `${indexOf(ENTRY)}\n  policy: ${JSON.stringify(policy)}`;
  const [release] = releasesOf(text);
  assert.not.match(JSON.stringify(release), /policy|issuer|anyone/);
  assert.ok(isLeft(read(`${indexOf(ENTRY)}\n  policy: { requireSignature: false, allowLoopbackHTTP: true }`)));
});

test('catalog-tools writes the tools of a manifest into an index and leaves the rest, comments included', async () => {
  const addons = tempDir('addons');
  const tools = ['add-note', 'list-notes'];
  const toolDefinitions = tools.map((name) => ({
    name,
    kind: 'read',
    description: 'd',
    inputSchema: { type: 'object', properties: {} },
  }));
  mkdirSync(join(addons, 'sample'));
  const value = manifest({ capabilities: { service: true, tools, toolDefinitions } });
  writeFileSync(join(addons, 'sample/manifest.json'), JSON.stringify(value));
  const before = `# kept\n${indexOf(ENTRY)}\n${indexOf({ ...ENTRY, id: 'other' })}\n`;
  const after = await withTools(before, addons);
  if (isLeft(after)) throw new Error(after.left);
  assert.match(after.right, /^# kept\n/);
  const [one, two] = releasesOf(after.right);
  assert.equal([one?.toolCount, one?.tools, two?.toolCount], [2, tools, undefined]);
  const again = await withTools(after.right, addons);
  assert.is(isLeft(again) || again.right, after.right);
  assert.ok(isLeft(await withTools('x: 1\n', addons)));
  writeFileSync(join(addons, 'sample/manifest.json'), '{}');
  assert.ok(isLeft(await withTools(before, addons)));
});
test.run();
