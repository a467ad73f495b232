/**
 * Joins the compiled modules of `dist/modules` into the few files of `dist/cli` that run: the command and the scripts that it
 * starts as workers and child processes. A start reads a dozen files instead of three hundred (docs/adr/bundled-start.md). All lie in one
 * folder, so that `new URL('./x.js', import.meta.url)` names the same script here as among the modules.
 */
import { build } from 'esbuild';

const SCRIPTS = [
  'cli/main.js',
  'packages/index-worker.js',
  'packages/unpack-worker.js',
  'events/lmdb/probe-child.js',
  'events/inspect/verify-child.js',
];
/** They bring native code, which cannot be joined. */
const NATIVE = ['lmdb', 'koffi'];
/** For the dependencies that are CommonJS. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

export const bundle = (root) =>
  build({
    absWorkingDir: root,
    entryPoints: SCRIPTS.map((script) => `dist/modules/${script}`),
    entryNames: '[name]',
    outdir: 'dist/cli',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: NATIVE,
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
