/**
 * The native check of a package, "executable-start" (15:52-56): extracts a layout, starts its executable as an owner would, and waits
 * until it answers its health call with its own registration. Needs a built `dist/`; runs only on the platform of the layout.
 * usage: node scripts/addons/start-check.mjs LAYOUT [--platform OS/ARCH]
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const READY_MS = 30_000;
const [layout, ...rest] = process.argv.slice(2);
if (layout === undefined) {
  console.error('usage: node scripts/addons/start-check.mjs LAYOUT [--platform OS/ARCH]');
  process.exit(2);
}
const dist = new URL('../../dist/', import.meta.url);
const main = fileURLToPath(new URL('cli/main.js', dist));
const { announced, DEFAULT_LIMITS } = await import(new URL('modules/contract/limits.js', dist).href);
const work = mkdtempSync(join(tmpdir(), 'castellan-start-'));
const folder = join(work, 'package');
const dataDir = join(work, 'data');
const credential = 'c'.repeat(43);
const incarnation = 'ab'.repeat(16);

async function answers(url, registration, child) {
  const headers = { authorization: `Bearer ${credential}`, 'x-localai-incarnation': incarnation };
  for (const end = Date.now() + READY_MS; Date.now() < end && child.exitCode === null; ) {
    const answer = await fetch(`${url}/health`, { headers, signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    if (answer?.status === 200 && isDeepStrictEqual(await answer.json(), registration)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

let child;
try {
  execFileSync(process.execPath, [main, 'package', 'extract', layout, folder, ...rest], { stdio: 'inherit' });
  mkdirSync(dataDir);
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const server = createServer();
  await new Promise((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const endpoint = `http://127.0.0.1:${server.address().port}`;
  child = spawn(join(folder, manifest.executable), ['--localai-addon-v1'], {
    cwd: dataDir,
    env: { LANG: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'inherit', 'inherit', server._handle.fd, 'pipe'],
  });
  child.on('error', (error) => console.error(error.message));
  server.close();
  const { id: addonId, version, capabilities } = manifest;
  const registration = { protocol: 1, addonId, version, generation: 1, incarnation, endpoint, capabilities };
  // An executable that is gone at once closes its end; the loop below sees that it exited.
  child.stdio[4].on('error', () => undefined);
  child.stdio[4].write(`${JSON.stringify({ registration, credential, dataDir, limits: announced(DEFAULT_LIMITS) })}\n`);
  const started = await answers(endpoint, registration, child);
  console.log(started ? `${addonId} ${version} started` : `${addonId} ${version} did not start`);
  process.exitCode = started ? 0 : 1;
} finally {
  child?.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
}
