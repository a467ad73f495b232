/**
 * Builds what runs from `dist/`: the compiled server, the web page and the library of first-party packages (`dist/library`).
 *
 * usage: node scripts/build.mjs [--if-stale]      (then nothing is done for a fresh `dist/`, and another is made anew)
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { isFresh, stamp } from './freshness.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (bin, args) => execFileSync(`${root}node_modules/.bin/${bin}`, args, { cwd: root, stdio: 'inherit' });

if (process.argv.includes('--if-stale') && isFresh(root)) process.exit(0);
// What a removed source left behind must not be packed.
rmSync(`${root}dist`, { recursive: true, force: true });
run('tsc', ['-p', 'tsconfig.build.json']);
await bundle(root);
chmodSync(`${root}dist/cli/main.js`, 0o755);
run('vite', ['build', 'ui', '--logLevel', 'warn']);
execFileSync(process.execPath, [`${root}scripts/build-library.mjs`], { cwd: root, stdio: 'inherit' });
// The build of a version tag reads the index of its own release; every other build the library made above.
if (process.env.CASTELLAN_RELEASE)
  writeFileSync(`${root}dist/release.json`, JSON.stringify({ tag: process.env.CASTELLAN_RELEASE }));
stamp(root);
