/** `castellan package build|join|verify|extract` and `scripts/addons/package.sh`, run as a publisher runs them. */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hostProfile } from '../../../src/contract/manifest.js';
import { castellan, type Ran } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { blobPath, COMMIT, FULL, folderOf, layoutOf, PNG, readModel } from '../../support/layouts.js';
import { manifest } from '../../support/package-store.js';
import { MAIN, ROOT } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('castellan package: layouts');
const { os, arch } = hostProfile(process.platform, process.arch);
const HERE = `${os}/${arch}`;
const run = (...args: readonly string[]) => castellan('', 'package', ...args);
const fresh = () => join(tempDir('layout'), 'out');
const script = (cwd: string, ...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    execFile('sh', [join(ROOT, 'scripts/addons/package.sh'), ...args], { cwd }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });

/** A checkout with one add-on whose program is made by a script. */
function checkout(config: string): string {
  const root = tempDir('checkout');
  const put = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const ui = { entry: 'page/main.mjs', sdk: { min: 1, max: 2 }, icon: 'page/icon.png' };
  put(
    'addons/notes/manifest.json',
    JSON.stringify(manifest({ id: 'notes', executable: 'bin/go', capabilities: { service: true, ui } })),
  );
  put('addons/notes/package/platforms.yaml', config);
  put('addons/notes/web/main.mjs', 'export const pages = {};\n');
  put('addons/notes/web/icon.png', PNG);
  put(
    'addons/notes/cmd/notes-server/build.mjs',
    `import { mkdirSync, writeFileSync } from 'node:fs';
     const [out] = process.argv.slice(2);
     mkdirSync(out + '/bin');
     writeFileSync(out + '/bin/go', '#!/bin/sh\\n# made here\\n', { mode: 0o755 });
     writeFileSync(out + '/bin/words.txt', 'words', { mode: 0o644 });`,
  );
  return root;
}
const CONFIG = `addon: notes
executable: notes-server
ui: addons/notes/web
runtime:
  - bin/words.txt
platforms:
  - platform: linux/amd64
    runner: ubuntu-24.04
    enabled: true
    checks:
      executable-start: 2026-11-30
`;

test('package.sh writes a layout of one image and a receipt with its digests; without a configuration it is Tables [DIST-003] [DIST-008]', async () => {
  const layout = fresh();
  const ran = await script(tempDir('elsewhere'), '--layout', layout, '--version', '1.2.3', '--platform', HERE);
  assert.is(ran.code, 0, ran.err);
  const { image, blob, receipt } = readModel(layout);
  assert.is(image.annotations['io.localai.addon.id'], 'tables');
  assert.equal(receipt.images, [
    {
      platform: HERE,
      manifest: blob.digest,
      config: image.config.digest,
      layers: image.layers.map(({ digest, size, annotations }: Record<string, Record<string, string>>) => ({
        role: annotations?.['io.localai.addon.layer'],
        digest,
        size,
      })),
    },
  ]);
  assert.equal(readdirSync(layout).sort(), ['blobs', 'index.json', 'oci-layout', 'receipt.json']);
  assert.is(readdirSync(join(layout, 'blobs/sha256')).length, 2 + receipt.images[0].layers.length);
});

test('nothing is sent anywhere: no socket of a network is ever opened [DIST-004]', async () => {
  const trace = join(tempDir('trace'), 'log');
  const line = ['-f', '-qq', '-e', 'trace=network', '-o', trace, process.execPath, MAIN, 'package', 'build'];
  const config = join(checkout(CONFIG), 'addons/notes/package/platforms.yaml');
  const args = ['--config', config, '--layout', fresh(), '--version', '1.2.3', '--platform', HERE];
  execFileSync('strace', [...line, ...args], { env: { ...process.env, HTTPS_PROXY: 'http://127.0.0.1:9' } });
  const calls = readFileSync(trace, 'utf8');
  assert.not.match(calls, /AF_INET|AF_INET6|sendto|connect\(/);
});

test('another configuration names the add-on, its program and its page [DIST-005]', async () => {
  const root = checkout(CONFIG);
  const layout = fresh();
  const config = join(root, 'addons/notes/package/platforms.yaml');
  const ran = await script(root, '--config', config, '--layout', layout, '--version', '2.0.0', '--platform', HERE);
  assert.is(ran.code, 0, ran.err);
  const { layers, image } = readModel(layout);
  assert.is(image.annotations['io.localai.addon.id'], 'notes');
  assert.equal(
    layers.map(({ role, files }) => [role, files.map(({ name }) => name)]),
    [
      ['executable', ['bin/go', 'bin/words.txt']],
      ['ui', ['page/icon.png', 'page/main.mjs']],
      ['manifest', ['manifest.json']],
    ],
  );
  assert.is((await run('verify', layout, '--config', config)).code, 0);
  writeFileSync(config, CONFIG.replace('bin/words.txt', 'bin/other.txt'));
  assert.match((await run('verify', layout, '--config', config)).err, /runtime file bin\/other\.txt is missing/);
});

test('without --executable the program is built for this host, and for no other [DIST-006]', async () => {
  const root = checkout(CONFIG);
  const config = ['--config', join(root, 'addons/notes/package/platforms.yaml'), '--version', '2.0.0'];
  const layout = fresh();
  assert.is((await run('build', ...config, '--layout', layout, '--platform', HERE)).code, 0);
  assert.match(String(readModel(layout).layers[0]?.files[0]?.content), /made here/);
  const other = await run('build', ...config, '--layout', fresh(), '--platform', 'linux/riscv64');
  assert.is(other.code, 1);
  assert.match(other.err, /cannot be built on .*; give it with --executable/);
  const program = join(tempDir('program'), 'notes');
  writeFileSync(program, 'made elsewhere');
  chmodSync(program, 0o755);
  writeFileSync(join(dirname(program), 'words.txt'), 'words');
  const given = fresh();
  const ran = await run('build', ...config, '--layout', given, '--platform', 'linux/riscv64', '--executable', program);
  assert.is(ran.code, 0, ran.err);
  assert.is(String(readModel(given).layers[0]?.files[0]?.content), 'made elsewhere');
});

test('skills of a configuration are laid at skills/ and judged [DIST-038] [DIST-039]', async () => {
  const root = checkout(CONFIG.replace('runtime:', 'skills: addons/notes/know-how\nruntime:'));
  const config = join(root, 'addons/notes/package/platforms.yaml');
  const file = join(root, 'addons/notes/manifest.json');
  const value = JSON.parse(readFileSync(file, 'utf8'));
  value.capabilities.skillDefinitions = [{ name: 'notes' }];
  writeFileSync(file, JSON.stringify(value));
  const skill = join(root, 'addons/notes/know-how/notes/SKILL.md');
  mkdirSync(dirname(skill), { recursive: true });
  const build = (layout: string) =>
    run('build', '--config', config, '--layout', layout, '--version', '1.0.0', '--platform', HERE);
  writeFileSync(skill, 'no frontmatter');
  const refused = await build(fresh());
  assert.is(refused.code, 1);
  assert.match(refused.err, /SKILL\.md/);
  writeFileSync(skill, '---\nname: notes\ndescription: How to take notes.\n---\n# Notes\n');
  const layout = fresh();
  assert.is((await build(layout)).code, 0);
  assert.equal(
    readModel(layout).layers.map(({ role, files }) => [role, files.length]),
    [
      ['executable', 2],
      ['ui', 2],
      ['skills', 1],
      ['manifest', 1],
    ],
  );
});

test('extract lays out a verified layout with the mode of the entrypoint, under any umask [DIST-029]', async () => {
  const layout = await layoutOf(FULL);
  const out = fresh();
  const umask = process.umask(0o077);
  const ran = await run('extract', layout, out, '--json');
  process.umask(umask);
  assert.is(ran.code, 0, ran.err);
  for (const path of Object.keys(FULL))
    assert.is(statSync(join(out, path)).mode & 0o7777, path === 'bin/run' ? 0o755 : 0o644, path);
  assert.is(readFileSync(join(out, 'lib/one.so'), 'utf8'), 'library');
  const again = await run('extract', layout, out);
  assert.is(again.code, 1);
  assert.match(again.err, /is there already/);
  const bad = await layoutOf(FULL);
  writeFileSync(blobPath(bad, readModel(bad).image.layers[0].digest), 'x');
  const nowhere = fresh();
  assert.is((await run('extract', bad, nowhere)).code, 1);
  assert.not.ok(existsSync(nowhere));
  assert.not.ok(existsSync(`${nowhere}.part`));
});

test('layouts are joined and verified by their platforms, and one is chosen to extract', async () => {
  const parts = [await layoutOf(FULL, { platform: 'linux/arm64' }), await layoutOf(FULL)];
  const layout = fresh();
  const both = ['--platform', 'linux/amd64', '--platform', 'linux/arm64'];
  const joined = JSON.parse((await run('join', ...parts, '--layout', layout, ...both, '--json')).out);
  assert.equal([joined.id, joined.version, joined.revision, joined.images.length], ['sample', '1.2.3', COMMIT, 2]);
  assert.is((await run('verify', layout, ...both, '--version', '1.2.3', '--id', 'sample')).code, 0);
  for (const wrong of [
    ['--version', '1.2.4'],
    ['--id', 'other'],
    ['--platform', 'linux/amd64'],
  ])
    assert.is((await run('verify', layout, ...wrong)).code, 1, wrong.join(' '));
  assert.match((await run('extract', layout, fresh())).err, /several platforms/);
  const out = fresh();
  assert.is((await run('extract', layout, out, '--platform', 'linux/arm64')).code, 0);
  assert.is(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).arch, 'arm64');
});

test('a wrong command line is told as such', async () => {
  const folder = folderOf(FULL);
  for (const args of [[], [folder], ['--layout', fresh()], [folder, '--layout', fresh(), '--version', '1.2.3']])
    assert.is((await run('build', ...args)).code, 2, args.join(' '));
});
test.run();
