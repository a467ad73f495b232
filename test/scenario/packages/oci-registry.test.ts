/** Packages from a real registry: by digest, for this platform, in layers, with and without credentials. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '../../../src/commands/ports.js';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';
import {
  AMD64,
  ARM64,
  config,
  gzipLayer,
  type Image,
  image,
  index,
  sampleLayers,
  tarLayer,
} from '../../support/oci-image.js';
import { ociRelease, stageRelease, withOciStore } from '../../support/oci-store.js';
import { executable, manifestFile } from '../../support/package-store.js';
import { type RealRegistry, startRegistry } from '../../support/registry.js';
import { file, folder } from '../../support/tar.js';

const test = suite('packages from a registry');
let registry: RealRegistry;
test.before(async () => {
  registry = await startRegistry();
});
test.after(() => registry.close());

/** Pushes, stages and publishes; answers the receipt and the folder. */
async function installed(pushed: Image, changes: Parameters<typeof ociRelease>[2] = {}) {
  await registry.push('acme/sample', pushed, '1.0.0');
  return withOciStore({}, async ({ root, store }) => {
    const wanted = ociRelease(`oci://${registry.host}/acme/sample:1.0.0`, pushed.manifest.digest, changes);
    const staged = await stageRelease(store, wanted);
    if (isLeft(staged)) throw new Error(staged.left.message);
    const published = await store.publish(staged.right);
    if (isLeft(published)) throw new Error(published.left.message);
    const { directory } = published.right;
    assert.ok(isRight(await store.verify(directory)));
    const files = readdirSync(join(root, directory), { recursive: true }).map(String).sort();
    return {
      receipt: staged.right.receipt,
      files,
      modes: new Map(files.map((path) => [path, lstatSync(join(root, directory, path)).mode & 0o7777])),
      text: readFileSync(join(root, directory, 'manifest.json'), 'utf8'),
      left: readdirSync(root),
    };
  });
}

test('an image is pulled by its pinned digest and published as any package, with no daemon [PACKAGE-004]', async () => {
  const pushed = image();
  const { receipt, files, left } = await installed(pushed);
  assert.equal(files, ['bin', 'bin/run', 'manifest.json', 'receipt.json']);
  assert.is(receipt.digest, pushed.manifest.digest);
  assert.is(receipt.artifact, `oci://${registry.host}/acme/sample:1.0.0`);
  assert.is(receipt.verification, 'sha256');
  assert.is(left.length, 1);
});

test('an executable is executable and nothing else of the mode counts: set-id and sticky bits are gone', async () => {
  const layers = [
    gzipLayer(file('bin/run', '#!/bin/sh\n', { mode: 0o7777 }), file('data', 'x', { mode: 0o6644 })),
    gzipLayer(manifestFile()),
  ];
  const { modes } = await installed(image(layers));
  assert.is(modes.get('bin/run'), 0o555);
  assert.is(modes.get('data'), 0o444);
  assert.is(modes.get('bin'), 0o555);
});

test('layers are flattened in order, compressed or not, and may name folders of earlier ones again [PACKAGE-027]', async () => {
  const layers = [
    tarLayer(folder('bin'), executable()),
    gzipLayer(folder('bin'), file('bin/other', 'x'), folder('docs')),
    gzipLayer(folder('docs'), file('docs/a', 'x')),
    tarLayer(manifestFile()),
  ];
  const { files, receipt } = await installed(image(layers));
  assert.equal(files, ['bin', 'bin/other', 'bin/run', 'docs', 'docs/a', 'manifest.json', 'receipt.json']);
  assert.equal(
    receipt.files.map(({ path }) => path),
    ['bin/run', 'bin/other', 'docs/a', 'manifest.json'],
  );
});

test('an image of another tool says no artifact type, and is taken all the same', async () => {
  const { receipt } = await installed(image(sampleLayers(), { artifactType: undefined, mediaType: undefined }));
  assert.is(receipt.addonId, 'sample');
});

test('a pinned index leads to the image of this platform, and stands in the receipt as it was pinned [PACKAGE-005]', async () => {
  const mine = image();
  const other = image(
    [gzipLayer(executable('#!/bin/sh\nexit 2\n')), ...sampleLayers().slice(1)],
    {},
    config({ architecture: 'arm64' }),
  );
  await registry.push('acme/sample', mine);
  await registry.push('acme/sample', other);
  const both = index([
    { image: other.manifest, platform: ARM64 },
    { image: mine.manifest, platform: AMD64 },
  ]);
  await registry.pushManifest('acme/sample', both);
  await withOciStore({}, async ({ store }) => {
    const staged = await stageRelease(store, ociRelease(`oci://${registry.host}/acme/sample`, both.digest));
    if (isLeft(staged)) throw new Error(staged.left.message);
    assert.is(staged.right.receipt.digest, both.digest);
    assert.is(staged.right.receipt.arch, 'amd64');
  });
});

test('a moving tag is resolved once, and the image it led to is installed, pinned and recorded', async () => {
  const first = image();
  await registry.push('acme/sample', first);
  await registry.pushManifest('acme/sample', index([{ image: first.manifest, platform: AMD64 }]), 'sample-development');
  await withOciStore({}, async ({ store }) => {
    const wanted = ociRelease(`oci://${registry.host}/acme/sample:sample-development`, '', { mutable: true });
    const staged = await stageRelease(store, wanted);
    if (isLeft(staged)) throw new Error(staged.left.message);
    assert.is(staged.right.receipt.digest, first.manifest.digest);
    assert.is(staged.right.receipt.artifact, wanted.artifact);
  });
});

test('progress counts the bytes of all layers as they come, up to exactly their sum', async () => {
  const noise = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 2_654_435_761) >>> 24));
  const pushed = image([
    tarLayer(executable(), file('a', noise)),
    tarLayer(file('b', noise)),
    gzipLayer(manifestFile()),
  ]);
  const total = pushed.blobs.slice(1).reduce((sum, { size }) => sum + size, 0);
  await registry.push('acme/sample', pushed);
  const seen: Progress[] = [];
  await withOciStore({}, async ({ store }) => {
    const wanted = ociRelease(`oci://${registry.host}/acme/sample`, pushed.manifest.digest);
    assert.ok(isRight(await stageRelease(store, wanted, { onProgress: (progress) => void seen.push(progress) })));
  });
  const bytes = seen.filter(({ phase }) => phase === 'downloading').map((progress) => progress.bytes ?? 0);
  assert.ok(bytes.length >= 6);
  assert.equal(
    [...bytes].sort((a, b) => a - b),
    bytes,
  );
  assert.is(bytes.at(-1), total);
  for (const progress of seen.slice(0, -1)) assert.is(progress.totalBytes ?? total, total);
});

test('an image that is not there is a failed download that says so', async () => {
  await withOciStore({}, async ({ store, names }) => {
    const gone = await stageRelease(store, ociRelease(`oci://${registry.host}/acme/none`, image().manifest.digest));
    assert.ok(isLeft(gone));
    assert.is(gone.left.refusal, 'package_fetch_failed');
    assert.match(gone.left.message, /does not have it/);
    assert.equal(names(), []);
  });
});

test.run();
