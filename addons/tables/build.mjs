/**
 * Builds the Tables package folder, `dist/addons-build/tables`: manifest, launcher, two bundles, SQLite's binary, and
 * what a person sees of it (`scripts/icon.mjs` draws the icon).
 * usage: node addons/tables/build.mjs      (scripts/build.mjs calls it)
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const output = fileURLToPath(new URL('../../dist/addons-build/tables/', import.meta.url));
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

/** `libsql` looks for a package of the platform; the package folder holds that binary beside the bundle instead. */
const localBinary = {
  name: 'local-binary',
  setup(context) {
    context.onResolve({ filter: /^@neon-rs\/load$/ }, () => ({ path: 'load', namespace: 'local-binary' }));
    context.onLoad({ filter: /.*/, namespace: 'local-binary' }, () => ({
      contents: "exports.load = () => require('./libsql.node'); exports.currentTarget = () => '';",
      loader: 'js',
    }));
    context.onResolve({ filter: /\.\/libsql\.node$/ }, () => ({ path: './libsql.node', external: true }));
  },
};

const resolve = createRequire(import.meta.url).resolve;
const libraryFolder = () => fileURLToPath(new URL('.', pathToFileURL(resolve('libsql'))));

function nativeBinary() {
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'gnu';
  return createRequire(resolve('libsql')).resolve(`@libsql/linux-${process.arch}-${libc}`);
}

rmSync(output, { recursive: true, force: true });
mkdirSync(`${output}bin`, { recursive: true });
await build({
  entryPoints: { tables: `${here}src/main.ts`, 'query-helper': `${here}src/query/helper.ts` },
  outdir: `${output}bin`,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  legalComments: 'inline',
  logLevel: 'warning',
  define: { 'process.env.LIBSQL_JS_DEV': '"1"' },
  plugins: [localBinary],
});
copyFileSync(nativeBinary(), `${output}bin/libsql.node`);
chmodSync(`${output}bin/libsql.node`, 0o644);
copyFileSync(`${libraryFolder()}LICENSE`, `${output}LICENSE.libsql`);
copyFileSync(`${here}launcher.sh`, `${output}bin/tables`);
chmodSync(`${output}bin/tables`, 0o755);
mkdirSync(`${output}ui`);
for (const file of ['entry.mjs', 'icon.png']) {
  copyFileSync(`${here}ui/${file}`, `${output}ui/${file}`);
  chmodSync(`${output}ui/${file}`, 0o644);
}
const manifest = { ...JSON.parse(readFileSync(`${here}manifest.json`, 'utf8')), os: process.platform };
manifest.arch = ARCHITECTURES[process.arch];
writeFileSync(`${output}manifest.json`, `${JSON.stringify(manifest)}\n`);
