/** Builds what runs from `dist/`: the compiled server, the web page and the library of first-party packages (`dist/library`). */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (bin, args) => execFileSync(`${root}node_modules/.bin/${bin}`, args, { cwd: root, stdio: 'inherit' });

run('tsc', ['-p', 'tsconfig.build.json']);
if (existsSync(`${root}dist/cli/main.js`)) chmodSync(`${root}dist/cli/main.js`, 0o755);
run('vite', ['build', 'ui', '--logLevel', 'warn']);
execFileSync(process.execPath, [`${root}addons/tables/build.mjs`], { cwd: root, stdio: 'inherit' });
execFileSync(process.execPath, [`${root}scripts/build-library.mjs`], { cwd: root, stdio: 'inherit' });
