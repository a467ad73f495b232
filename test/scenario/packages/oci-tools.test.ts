/** Packages that other people's tools made and moved: GNU tar, umoci and skopeo. They know nothing of add-ons. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';
import { ociRelease, stageRelease, withOciStore } from '../../support/oci-store.js';
import { manifest } from '../../support/package-store.js';
import { needProgram, type RealRegistry, startRegistry } from '../../support/registry.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('packages of other tools');
let registry: RealRegistry;
test.before(async () => {
  for (const tool of ['skopeo', 'umoci']) needProgram(tool, tool);
  registry = await startRegistry();
});
test.after(() => registry.close());

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();

/** An image layout with one layer for each list of paths below `folder`, for `platform`. */
function layoutOf(folder: string, layers: readonly (readonly string[])[], platform: readonly [string, string]): string {
  const layout = join(tempDir('layout'), 'image');
  run('umoci', 'init', '--layout', layout);
  run('umoci', 'new', '--image', `${layout}:made`);
  run('umoci', 'config', '--image', `${layout}:made`, '--os', platform[0], '--architecture', platform[1]);
  layers.forEach((paths, at) => {
    const layer = `${layout}-${at}.tar`;
    run('tar', '-C', folder, '--no-recursion', '-cf', layer, ...paths);
    run('umoci', 'raw', 'add-layer', '--image', `${layout}:made`, layer);
  });
  return layout;
}

function folderOf(): string {
  const folder = tempDir('package');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest()));
  writeFileSync(join(folder, 'bin', 'run'), '#!/bin/sh\nexit 0\n');
  writeFileSync(join(folder, 'bin', 'data'), 'x'.repeat(5000));
  chmodSync(join(folder, 'bin', 'run'), 0o4755);
  return folder;
}

/** Copies with skopeo, which says the digest; `--all` style flags come first. */
function pushed(layout: string, ...flags: string[]): string {
  const target = `docker://${registry.host}/acme/tools:made`;
  const file = join(tempDir('digest'), 'digest');
  run(
    'skopeo',
    'copy',
    '--insecure-policy',
    '--dest-tls-verify=false',
    '--digestfile',
    file,
    ...flags,
    `oci:${layout}:made`,
    target,
  );
  return readFileSync(file, 'utf8').trim();
}

async function installed(digest: string): Promise<readonly string[] | string> {
  return withOciStore({}, async ({ root, store, names }) => {
    const staged = await stageRelease(store, ociRelease(`oci://${registry.host}/acme/tools:made`, digest));
    if (isLeft(staged)) {
      assert.equal(names(), []);
      return `${staged.left.refusal}: ${staged.left.message}`;
    }
    const published = await store.publish(staged.right);
    if (isLeft(published)) return published.left.message;
    return readdirSync(join(root, published.right.directory), { recursive: true }).map(String).sort();
  });
}

const LAYERS = [['bin', 'bin/run'], ['bin', 'bin/data'], ['manifest.json']];
const FILES = ['bin', 'bin/data', 'bin/run', 'manifest.json', 'receipt.json'];

test('an image made by umoci from tar files and pushed by skopeo installs by its digest [PACKAGE-004]', async () => {
  assert.equal(await installed(pushed(layoutOf(folderOf(), LAYERS, ['linux', 'amd64']))), FILES);
});

test('the same image in the formats of Docker installs too', async () => {
  assert.equal(await installed(pushed(layoutOf(folderOf(), LAYERS, ['linux', 'amd64']), '--format', 'v2s2')), FILES);
});

test('an image they made for another platform is refused by its config [PACKAGE-005]', async () => {
  const result = await installed(pushed(layoutOf(folderOf(), LAYERS, ['linux', 'arm64'])));
  assert.match(String(result), /^package_unverified: .*another platform/);
});

test('a file that two of their layers bring is refused [PACKAGE-027]', async () => {
  const result = await installed(pushed(layoutOf(folderOf(), [...LAYERS, ['bin/run']], ['linux', 'amd64'])));
  assert.match(String(result), /^package_unverified: .*overwrites/);
});

test.run();
