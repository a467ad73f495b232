/**
 * Makes the first-party library of a build: from every folder `dist/addons-build/<id>/` (a package's files, `manifest.json` among
 * them) one archive in `dist/library/`, and their `index.yaml`. A file `<id>.listing.json` beside the folder gives the name and
 * description of an entry whose manifest has no page to say them on. Needs the compiled `dist/modules/packages`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const from = `${root}dist/addons-build/`;
const to = `${root}dist/library/`;
const { buildPackage } = await import(`${root}dist/modules/packages/builder/package-build.js`);
const { writeIndex } = await import(`${root}dist/modules/packages/builder/index-writer.js`);
const { ORIGIN } = await import(`${root}dist/modules/packages/index-format.js`);

const must = (result, what) => {
  if (result._tag === 'Right') return result.right;
  console.error(`${what}: ${result.left}`);
  process.exit(1);
};

const listingOf = (id) => {
  const file = `${from}${id}.listing.json`;
  return existsSync(file) ? { listing: JSON.parse(readFileSync(file, 'utf8')) } : {};
};

rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
const entries = [];
const folders = existsSync(from)
  ? readdirSync(from, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  : [];
for (const id of folders.map(({ name }) => name).sort()) {
  const part = `${to}.${id}.tar`;
  const { digest, size, manifest } = must(await buildPackage(`${from}${id}`, part), id);
  const name = `${manifest.id}-${manifest.version}-${manifest.os}-${manifest.arch}.tar`;
  renameSync(part, `${to}${name}`);
  entries.push({ manifest, digest, artifact: `${ORIGIN}/${name}`, channel: 'latest', ...listingOf(id) });
  console.log(`${name} ${digest} (${size} bytes)`);
}
must(await writeIndex(entries, `${to}index.yaml`), 'index.yaml');
