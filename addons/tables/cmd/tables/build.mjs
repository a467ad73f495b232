/**
 * Builds the program of Tables for this machine into a package folder: launcher, two bundles, SQLite's binary. The page and the
 * manifest are laid beside it by `castellan package build`.
 * usage: node addons/tables/cmd/tables/build.mjs FOLDER
 */
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('../../', import.meta.url));
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node addons/tables/cmd/tables/build.mjs FOLDER');
  process.exit(2);
}
const output = `${folder}/`;

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

mkdirSync(`${output}bin`, { recursive: true });
await build({
  entryPoints: { tables: `${here}src/main.ts`, 'query-helper': `${here}src/query/helper.ts` },
  outdir: `${output}bin`,
  outExtension: { '.js': '.cjs' },
  // Comments of the bundles name files from here, so they do not depend on where the checkout lies.
  absWorkingDir: here,
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
