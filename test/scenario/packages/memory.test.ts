/** The memory of a process that stages a large package, measured in a process of its own (RssAnon of /proc/self/status). */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { assert, suite } from '../../support/harness.js';
import { HOST, manifest, sha256 } from '../../support/package-store.js';
import { withServer } from '../../support/packages.js';
import { END, file, header } from '../../support/tar.js';

const test = suite('memory while staging');
const MIB = 1_048_576;
const PIECE = Buffer.alloc(MIB, 'castellan package bytes');

/** The archive in pieces: a manifest, an executable, `large` MiB in one file and `small` files of 40 KiB. */
function* pieces(large: number, small: number): Generator<Buffer> {
  yield file('manifest.json', JSON.stringify(manifest()));
  yield file('bin/run', '#!/bin/sh\n', { mode: 0o755 });
  yield header({ name: 'data/large', size: large * MIB });
  for (let at = 0; at < large; at += 1) yield PIECE;
  for (let at = 0; at < small; at += 1) yield file(`data/small-${at}`, PIECE.subarray(0, 40_960));
  yield END;
}

/** Stages from `url` and prints the highest RssAnon seen, in KiB, and the longest time the loop stood still, in ms. */
const CHILD = `
  const [root, url, digest, base] = process.argv.slice(1);
  const load = (path) => import(base + path);
  const { createPackageStore } = await load('src/packages/store.js');
  const { createTarFetcher } = await load('src/packages/artifact-fetcher.js');
  const { DEFAULT_PACKAGE_LIMITS } = await load('src/packages/package-limits.js');
  const { realClock } = await load('test/support/packages.js');
  const { HOST, testIds, release } = await load('test/support/package-store.js');
  const { readFileSync, mkdtempSync } = await import('node:fs');
  const { join } = await import('node:path');
  const { monitorEventLoopDelay } = await import('node:perf_hooks');
  const directory = mkdtempSync(root + '/castellan-memory-');
  let worst = 0;
  const look = () => { worst = Math.max(worst, Number(/RssAnon:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])); };
  const timer = setInterval(look, 5);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const store = createPackageStore({ root: join(directory, 'packages'), host: HOST, ids: testIds,
    artifacts: createTarFetcher({ clock: realClock }), limits: DEFAULT_PACKAGE_LIMITS });
  const staged = await store.stage({ ...release(new Uint8Array()), artifact: url, digest },
    { requireSignature: false, allowLoopbackHTTP: true }, { signal: new AbortController().signal, onProgress: look });
  delay.disable();
  clearInterval(timer);
  const { removeTree } = await load('test/support/temp-dir.js');
  removeTree(directory);
  process.stdout.write(JSON.stringify({ tag: staged._tag, message: staged.left?.message, kib: worst, p99: delay.percentile(99) / 1e6 }));
`;

const measure = (large: number, small: number) => {
  const hash = createHash('sha256');
  for (const piece of pieces(large, small)) hash.update(piece);
  return withServer(
    async (_request, response) => {
      for (const piece of pieces(large, small))
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      response.end();
    },
    async (origin) => {
      const base = new URL('../../../', import.meta.url).href;
      const { tmpdir } = await import('node:os');
      const argv = [
        '--input-type=module',
        '-e',
        CHILD,
        tmpdir(),
        `${origin}/a.tar`,
        `sha256:${hash.digest('hex')}`,
        base,
      ];
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
      let out = '';
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      await new Promise((resolve) => child.on('close', resolve));
      return JSON.parse(out) as { tag: string; message?: string; kib: number; p99: number };
    },
  );
};

test('staging a package of 300 MiB keeps the process under 150 MiB of its own memory', async () => {
  const { tag, message, kib } = await measure(300, 0);
  assert.is(tag, 'Right', message);
  assert.ok(kib < 150 * 1024, `${Math.round(kib / 1024)} MiB`);
}, 240_000);

test('many small files keep it under 150 MiB too', async () => {
  const { tag, message, kib } = await measure(1, 800);
  assert.is(tag, 'Right', message);
  assert.ok(kib < 150 * 1024, `${Math.round(kib / 1024)} MiB`);
}, 240_000);

test('the digest of the pieces is the digest of the archive', () => {
  const whole = Buffer.concat([...pieces(1, 2)]);
  const hash = createHash('sha256');
  for (const piece of pieces(1, 2)) hash.update(piece);
  assert.is(`sha256:${hash.digest('hex')}`, sha256(whole));
  assert.is(HOST.os, 'linux');
});

test.run();
