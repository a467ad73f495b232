/** What a built layout is (15:9-32). */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../../src/contract/fp.js';
import { joinLayouts } from '../../../../src/packages/layout/join.js';
import { verifyLayout } from '../../../../src/packages/layout/layout-verify.js';
import { assert, suite } from '../../../support/harness.js';
import { blobPath, buildFrom, COMMIT, FULL, folderOf, layoutOf, PLAIN, readModel } from '../../../support/layouts.js';
import { manifest } from '../../../support/package-store.js';
import { tempDir } from '../../../support/temp-dir.js';

const test = suite('a built layout');
const PLATFORM = 'linux/amd64';
const everyFile = (layout: string) =>
  readdirSync(layout, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path.slice(layout.length), readFileSync(path, 'latin1')] as const);

test('the image has the artifact type of a package [DIST-009]', async () => {
  const { image, blob } = readModel(await layoutOf());
  assert.is(image.artifactType, 'application/vnd.localai.addon.package.v1');
  assert.is(blob.artifactType, 'application/vnd.localai.addon.package.v1');
  assert.is(image.mediaType, 'application/vnd.oci.image.manifest.v1+json');
});

test('its annotations name the add-on, the version twice and the platform [DIST-010]', async () => {
  const { image } = readModel(await layoutOf());
  assert.equal(image.annotations, {
    'io.localai.addon.id': 'sample',
    'io.localai.addon.platform': PLATFORM,
    'io.localai.addon.version': '1.2.3',
    'org.opencontainers.image.revision': COMMIT,
    'org.opencontainers.image.version': '1.2.3',
  });
});

test('the commit is annotated only when it is known, and only as a full name [DIST-011]', async () => {
  const layout = join(tempDir('layout'), 'out');
  const { revision: _revision, ...input } = {
    folder: folderOf(PLAIN),
    version: '1.2.3',
    platform: PLATFORM,
    revision: COMMIT,
  };
  const { buildImage } = await import('../../../../src/packages/layout/image-build.js');
  assert.ok(isRight(await buildImage(input, layout)));
  assert.not.ok('org.opencontainers.image.revision' in readModel(layout).image.annotations);
  assert.not.ok('revision' in readModel(layout).receipt);
  const short = await buildFrom(folderOf(PLAIN), { revision: 'abc123' });
  assert.ok(isLeft(short) && /full commit/.test(short.left));
});

test('the config names the platform and neither history nor time [DIST-012]', async () => {
  const { config } = readModel(await layoutOf(FULL, { platform: 'darwin/arm64' }));
  assert.equal(Object.keys(config).sort(), ['architecture', 'os', 'rootfs']);
  assert.equal([config.os, config.architecture, config.rootfs.type], ['darwin', 'arm64', 'layers']);
});

test('the executable layer holds the entrypoint with 0755 and the runtime files with 0644, as gzip [DIST-013]', async () => {
  const folder = folderOf(FULL);
  chmodSync(join(folder, 'bin/run'), 0o600);
  chmodSync(join(folder, 'lib/one.so'), 0o600);
  const layout = join(tempDir('layout'), 'out');
  assert.ok(isRight(await buildFrom(folder, {}, layout)));
  const [first] = readModel(layout).layers;
  assert.is(first?.role, 'executable');
  assert.is(first?.mediaType, 'application/vnd.oci.image.layer.v1.tar+gzip');
  assert.equal(
    first?.files.map(({ name, mode }) => [name, mode]),
    [
      ['bin/run', 0o755],
      ['lib/one.so', 0o644],
    ],
  );
});

test('the page layer holds every file below the folder of the entry, and what is declared must be there [DIST-014]', async () => {
  const { layers } = readModel(await layoutOf());
  assert.equal(
    layers.find(({ role }) => role === 'ui')?.files.map(({ name }) => name),
    ['ui/deep/more.txt', 'ui/entry.mjs', 'ui/icon.png', 'ui/style.css'],
  );
  for (const path of ['ui/entry.mjs', 'ui/style.css', 'ui/icon.png']) {
    const { [path]: _gone, ...rest } = FULL;
    const built = await buildFrom(folderOf(rest));
    assert.ok(isLeft(built) && /page file/.test(built.left), path);
  }
  const elsewhere = { ...FULL, 'manifest.json': JSON.stringify(withIcon('images/icon.png')), 'images/icon.png': 'x' };
  assert.ok(isLeft(await buildFrom(folderOf(elsewhere))));
});
const withIcon = (icon: string) =>
  manifest({ capabilities: { service: true, ui: { entry: 'ui/entry.mjs', sdk: { min: 1, max: 2 }, icon } } });

test('a package without a page has no page layer [DIST-015]', async () => {
  const { layers } = readModel(await layoutOf(PLAIN));
  assert.equal(
    layers.map(({ role }) => role),
    ['executable', 'manifest'],
  );
});

test('the manifest layer holds the manifest with the version and platform of the release [DIST-016]', async () => {
  const { layers } = readModel(await layoutOf(FULL, { version: '9.8.7-rc.1', platform: 'linux/arm64' }));
  const last = layers.at(-1);
  assert.equal(
    [last?.role, last?.files.map(({ name, mode }) => [name, mode])],
    ['manifest', [['manifest.json', 0o644]]],
  );
  const written = JSON.parse(String(last?.files[0]?.content));
  assert.equal([written.version, written.os, written.arch], ['9.8.7-rc.1', 'linux', 'arm64']);
  assert.equal(written.capabilities, JSON.parse(String(FULL['manifest.json'])).capabilities);
});

test('skills lie in a layer of their own, on every platform [DIST-038]', async () => {
  for (const platform of ['linux/amd64', 'darwin/arm64']) {
    const { layers } = readModel(await layoutOf(FULL, { platform }));
    assert.equal(
      layers.map(({ role }) => role),
      ['executable', 'ui', 'skills', 'manifest'],
    );
    assert.equal(
      layers[2]?.files.map(({ name }) => name),
      ['skills/sample/SKILL.md'],
    );
  }
});

test('skills that an owner would refuse are never built [DIST-039]', async () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ 'skills/sample/SKILL.md': '# no frontmatter\n' }, /sample/],
    [{ 'skills/other/SKILL.md': '---\nname: other\ndescription: d\n---\n' }, /no skill that the manifest declares/],
    [{ 'skills/sample/run.sh': 'x' }, /no scripts/],
  ];
  for (const [changes, reason] of cases) {
    const layout = join(tempDir('layout'), 'out');
    const built = await buildFrom(folderOf({ ...FULL, ...changes }), {}, layout);
    assert.ok(isLeft(built) && reason.test(built.left), isLeft(built) ? built.left : 'it was built');
    assert.not.ok(existsSync(layout));
  }
  const { 'skills/sample/SKILL.md': _gone, ...without } = FULL;
  assert.ok(isLeft(await buildFrom(folderOf(without))));
});

test('the same inputs give the same bytes in every file, whatever times, umask and order they were made in [DIST-018]', async () => {
  const one = await layoutOf();
  const umask = process.umask(0o000);
  let folder: string;
  try {
    folder = folderOf(Object.fromEntries(Object.entries(FULL).reverse()));
    for (const path of Object.keys(FULL)) {
      utimesSync(join(folder, path), 1, 1);
      chmodSync(join(folder, path), path === 'bin/run' ? 0o777 : 0o666);
    }
  } finally {
    process.umask(0o077);
  }
  mkdirSync(join(folder, 'empty'));
  const two = join(tempDir('layout'), 'two');
  try {
    assert.ok(isRight(await buildFrom(folder, {}, two)));
  } finally {
    process.umask(umask);
  }
  assert.equal(everyFile(two), everyFile(one));
  const other = await layoutOf({ ...FULL, 'lib/one.so': 'other' });
  assert.is.not(readModel(other).blob.digest, readModel(one).blob.digest);
});

test('the digest does not depend on the processor or the version of the compressor [DIST-018]', async () => {
  const layout = await layoutOf({ ...PLAIN, 'lib/words.txt': 'one two three '.repeat(40_000) });
  // Computed once and written down: another compressor, or another version of it, gives another digest here.
  assert.is(readModel(layout).blob.digest, 'sha256:b6309590485479063eb1961e72ada47e03203e30e602cef312643308b2c6e051');
});

test('an index joins the images of one version, one for each platform, with its own type and notes [DIST-001] [DIST-017]', async () => {
  const layouts = [await layoutOf(FULL, { platform: 'linux/arm64' }), await layoutOf(FULL)];
  const out = join(tempDir('joined'), 'out');
  const joined = await joinLayouts(layouts, out, { platforms: ['linux/arm64', 'linux/amd64'] });
  if (isLeft(joined)) throw new Error(joined.left);
  const top = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8'));
  assert.is(top.manifests.length, 1);
  const index = JSON.parse(readFileSync(blobPath(out, top.manifests[0].digest), 'utf8'));
  assert.is(index.artifactType, 'application/vnd.localai.addon.package.index.v1');
  assert.equal(index.annotations, {
    'io.localai.addon.id': 'sample',
    'io.localai.addon.version': '1.2.3',
    'org.opencontainers.image.revision': COMMIT,
    'org.opencontainers.image.version': '1.2.3',
  });
  assert.equal(
    index.manifests.map(({ platform }: { platform: object }) => platform),
    [
      { os: 'linux', architecture: 'amd64' },
      { os: 'linux', architecture: 'arm64' },
    ],
  );
  assert.equal(
    index.manifests.map(({ digest }: { digest: string }) => digest),
    [readModel(layouts[1] as string).blob.digest, readModel(layouts[0] as string).blob.digest],
  );
  assert.ok(isRight(await verifyLayout(out)));
});

test('a missing, repeated or foreign platform is not joined', async () => {
  const one = await layoutOf();
  const join2 = async (layouts: readonly string[], platforms?: readonly string[]) => {
    const joined = await joinLayouts(
      layouts,
      join(tempDir('joined'), 'out'),
      platforms === undefined ? {} : { platforms },
    );
    return isLeft(joined) ? joined.left : 'joined';
  };
  assert.match(await join2([one], ['linux/amd64', 'linux/arm64']), /it is for linux\/amd64, not for/);
  assert.match(await join2([one, await layoutOf()]), /different platforms/);
  assert.match(await join2([one, await layoutOf(FULL, { platform: 'linux/arm64', version: '1.2.4' })]), /one version/);
  const commit = 'b'.repeat(40);
  assert.match(await join2([one, await layoutOf(FULL, { platform: 'linux/arm64', revision: commit })]), /one version/);
});

test('what is wrong with a source is told, and nothing is left [DIST-019] [DIST-024] [DIST-025] [DIST-027] [DIST-028]', async () => {
  const cases: [(folder: string) => void, RegExp, (readonly string[])?][] = [
    [(at) => execFileSync('rm', [join(at, 'bin/run')]), /executable its manifest declares is not in it/],
    [(at) => execFileSync('rm', [join(at, 'ui/style.css')]), /page file/],
    [() => undefined, /runtime file lib\/two\.so is missing/, ['lib/one.so', 'lib/two.so']],
    [() => undefined, /lib\/one\.so is no runtime file/, []],
    [(at) => chmodSync(join(at, 'lib/one.so'), 0o4644), /set-id/],
    [(at) => chmodSync(join(at, 'lib/one.so'), 0o1644), /sticky/],
    [(at) => chmodSync(join(at, 'lib/one.so'), 0o755), /executable and is not the entrypoint/],
    [(at) => writeFileSync(join(at, 'ui/icon.png'), 'no image'), /icon is not an image/],
    [
      (at) => writeFileSync(join(at, 'ui/r.js'), 'x.__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'),
      /React/,
    ],
    [(at) => symlinkSync('/etc/passwd', join(at, 'lib/link')), /link/],
    [(at) => writeFileSync(join(at, 'receipt.json'), '{}'), /receipt\.json/],
  ];
  for (const [change, reason, runtime] of cases) {
    const folder = folderOf(FULL);
    change(folder);
    const parent = tempDir('layout');
    const built = await buildFrom(folder, runtime === undefined ? {} : { runtime }, join(parent, 'out'));
    assert.ok(isLeft(built) && reason.test(built.left), isLeft(built) ? built.left : `${reason} was built`);
    assert.equal(readdirSync(parent), []);
  }
});

test('a layout is never written over something', async () => {
  const layout = await layoutOf(PLAIN);
  const again = await buildFrom(folderOf(PLAIN), {}, layout);
  assert.ok(isLeft(again) && /is not empty/.test(again.left));
});

for (const platform of ['linux', 'linux/amd64/v8', 'Linux/amd64', '../x'])
  test(`"${platform}" is no platform`, async () => {
    assert.ok(isLeft(await buildFrom(folderOf(PLAIN), { platform })));
  });
test.run();
