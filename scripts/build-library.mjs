/**
 * Makes the first-party library of a build. Every add-on with a `package/platforms.yaml` is built as it would be for a registry, as an
 * OCI layout of this platform; the verified layout is extracted to `dist/addons-build/<id>`, and from there comes the archive
 * that `dist/library` serves with its `index.yaml`. A platform that is not enabled is built too: this library is for this machine alone.
 * Needs the compiled `dist/modules/packages`.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = `${root}dist/addons-build/`;
const to = `${root}dist/library/`;
const load = (path) => import(`${root}dist/modules/${path}`);
const { buildPackage } = await load('packages/builder/package-build.js');
const { writeIndex } = await load('packages/builder/index-writer.js');
const { ORIGIN } = await load('packages/index-format.js');
const { packageImage } = await load('packages/release/package-input.js');
const { extractLayout } = await load('packages/layout/extract.js');
const { hostProfile } = await load('contract/manifest.js');

const must = (result, what) => {
  if (result._tag === 'Right') return result.right;
  console.error(`${what}: ${result.left}`);
  process.exit(1);
};

for (const made of [folders, to]) {
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
}
const { os, arch } = hostProfile(process.platform, process.arch);
const layouts = mkdtempSync(`${tmpdir()}/castellan-layouts-`);
const entries = [];
const ids = readdirSync(`${root}addons`).filter((id) => existsSync(`${root}addons/${id}/package/platforms.yaml`));
for (const id of ids.sort()) {
  const config = `${root}addons/${id}/package/platforms.yaml`;
  const { version } = JSON.parse(readFileSync(`${root}addons/${id}/manifest.json`, 'utf8'));
  const input = { from: { config }, version, platform: `${os}/${arch}` };
  must(await packageImage(input, `${layouts}/${id}`), id);
  must(await extractLayout(`${layouts}/${id}`, `${folders}${id}`), id);
  const part = `${to}.${id}.tar`;
  const { digest, size, manifest } = must(await buildPackage(`${folders}${id}`, part), id);
  const name = `${manifest.id}-${manifest.version}-${manifest.os}-${manifest.arch}.tar`;
  renameSync(part, `${to}${name}`);
  entries.push({ manifest, digest, artifact: `${ORIGIN}/${name}`, channel: 'latest' });
  console.log(`${name} ${digest} (${size} bytes)`);
}
rmSync(layouts, { recursive: true, force: true });
must(await writeIndex(entries, `${to}index.yaml`), 'index.yaml');
