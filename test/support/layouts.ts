/**
 * Layouts of packages for tests: real ones, and ones in which exactly one thing was changed and every digest after it mended, so
 * that a verifier has to look at that thing to notice.
 */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isLeft } from '../../src/contract/fp.js';
import { buildImage, type ImageInput } from '../../src/packages/layout/image-build.js';
import { verifyLayout } from '../../src/packages/layout/layout-verify.js';
import { assert } from './harness.js';
import { manifest } from './package-store.js';
import { archive, file } from './tar.js';
import { tempDir } from './temp-dir.js';

export const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(16)]);
export const COMMIT = '4edf30cda051'.padEnd(40, '1');
export type Files = Readonly<Record<string, string | Buffer>>;

export const UI = {
  entry: 'ui/entry.mjs',
  sdk: { min: 1, max: 2 },
  css: ['ui/style.css'],
  icon: 'ui/icon.png',
  title: 'Sample',
};
export const FULL_MANIFEST = manifest({
  capabilities: { service: true, ui: UI, skillDefinitions: [{ name: 'sample' }] },
});
/** A package that has every layer. */
export const FULL: Files = {
  'manifest.json': JSON.stringify(FULL_MANIFEST),
  'bin/run': '#!/bin/sh\nexit 0\n',
  'lib/one.so': 'library',
  'ui/entry.mjs': 'export const pages = {};\n',
  'ui/style.css': 'body {}\n',
  'ui/icon.png': PNG,
  'ui/deep/more.txt': 'more',
  'skills/sample/SKILL.md': '---\nname: sample\ndescription: How to use it.\n---\n# Sample\n',
};
/** One that has as few as possible. */
export const PLAIN: Files = { 'manifest.json': JSON.stringify(manifest()), 'bin/run': '#!/bin/sh\nexit 0\n' };

export function folderOf(files: Files, at = join(tempDir('folder'), 'package')): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), content);
    chmodSync(join(at, path), path.startsWith('bin/') ? 0o755 : 0o644);
  }
  return at;
}

const INPUT = { version: '1.2.3', platform: 'linux/amd64', revision: COMMIT };
export const buildFrom = (folder: string, changes: Partial<ImageInput> = {}, layout = join(tempDir('layout'), 'out')) =>
  buildImage({ folder, ...INPUT, ...changes }, layout);

const built = new Map<string, Promise<string>>();

/** A layout of its own for the caller, copied from one that is built once; fails the test when it is refused. */
export async function layoutOf(files: Files = FULL, changes: Partial<ImageInput> = {}): Promise<string> {
  const key = JSON.stringify([files, changes]);
  const first = built.get(key) ?? buildOnce(files, changes);
  built.set(key, first);
  const layout = join(tempDir('layout'), 'out');
  cpSync(await first, layout, { recursive: true });
  return layout;
}

async function buildOnce(files: Files, changes: Partial<ImageInput>): Promise<string> {
  const layout = join(tempDir('layout'), 'out');
  const made = await buildFrom(folderOf(files), changes, layout);
  if (isLeft(made)) throw new Error(made.left);
  return layout;
}

export interface TarFile {
  name: string;
  content: Buffer;
  mode: number;
  type?: string;
  link?: string;
}
export interface LayerModel {
  role: string;
  mediaType: string;
  files: TarFile[];
  /** Compressed bytes to use instead of the files. */
  raw?: Buffer;
}
// biome-ignore lint/suspicious/noExplicitAny: tests change any field of these documents
type Document = any;
/** A layout of one image as plain values. */
export interface LayoutModel {
  layers: LayerModel[];
  config: Document;
  image: Document;
  blob: Document;
  receipt: Document;
}

const json = (bytes: Buffer): Document => JSON.parse(bytes.toString('utf8'));
export const blobPath = (layout: string, digest: string) => join(layout, 'blobs/sha256', digest.slice(7));
const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The files of an archive that has nothing special in it. */
function filesOf(tar: Buffer): TarFile[] {
  const files: TarFile[] = [];
  for (let at = 0; tar[at] !== 0; ) {
    const text = (from: number, length: number) =>
      tar.toString('latin1', at + from, at + from + length).split('\0')[0] ?? '';
    const size = Number.parseInt(text(124, 12), 8);
    files.push({
      name: text(0, 100),
      mode: Number.parseInt(text(100, 8), 8),
      content: Buffer.from(tar.subarray(at + 512, at + 512 + size)),
    });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

export function readModel(layout: string): LayoutModel {
  const blob = json(readFileSync(join(layout, 'index.json'))).manifests[0];
  const image = json(readFileSync(blobPath(layout, blob.digest)));
  const layers = image.layers.map((layer: Document) => ({
    role: layer.annotations['io.localai.addon.layer'],
    mediaType: layer.mediaType,
    files: filesOf(gunzipSync(readFileSync(blobPath(layout, layer.digest)))),
  }));
  const config = json(readFileSync(blobPath(layout, image.config.digest)));
  return { layers, config, image, blob, receipt: json(readFileSync(join(layout, 'receipt.json'))) };
}

/** Writes the model over the layout with digests and sizes that fit; `receipt` keeps what the test put there. */
export function writeModel(layout: string, model: LayoutModel): void {
  for (const name of readdirSync(join(layout, 'blobs/sha256'))) rmSync(join(layout, 'blobs/sha256', name));
  const put = (bytes: Buffer) => {
    const digest = digestOf(bytes);
    writeFileSync(blobPath(layout, digest), bytes);
    return { digest, size: bytes.length };
  };
  const tars = model.layers.map(({ files }) =>
    archive(
      ...files.map(({ name, content, mode, type, link }) =>
        file(name, content, {
          mode,
          ...(type === undefined ? {} : { type, size: content.length }),
          ...(link === undefined ? {} : { link }),
        }),
      ),
    ),
  );
  const layers = model.layers.map(({ role, mediaType, raw }, at) => ({
    mediaType,
    ...put(raw ?? gzipSync(tars[at] as Buffer)),
    annotations: { 'io.localai.addon.layer': role },
  }));
  if (model.config.rootfs !== undefined) model.config.rootfs.diff_ids = tars.map(digestOf);
  const config = { mediaType: model.image.config.mediaType, ...put(Buffer.from(JSON.stringify(model.config))) };
  const image = { ...model.image, config, layers };
  const blob = { ...model.blob, ...put(Buffer.from(JSON.stringify(image))) };
  const top = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [blob] };
  writeFileSync(join(layout, 'index.json'), JSON.stringify(top));
  const [old] = model.receipt.images;
  const images = [
    {
      platform: old.platform,
      manifest: blob.digest,
      config: config.digest,
      layers: layers.map(({ digest, size }, at) => ({ role: model.layers[at]?.role, digest, size })),
    },
  ];
  writeFileSync(join(layout, 'receipt.json'), JSON.stringify({ ...model.receipt, images }));
}

/** The reason a layout is refused for after `change`; fails the test when it is not, or when it was not good before. */
export async function refusedAfter(change: (model: LayoutModel) => void, files: Files = FULL): Promise<string> {
  const layout = await layoutOf(files);
  const model = readModel(layout);
  writeModel(layout, model);
  assert.is((await verifyLayout(layout))._tag, 'Right', 'the layout is good before the change');
  change(model);
  writeModel(layout, model);
  const verified = await verifyLayout(layout);
  return isLeft(verified) ? verified.left : 'it was accepted';
}

export const layerFile = (model: LayoutModel, path: string): TarFile => {
  const found = model.layers.flatMap(({ files }) => files).find(({ name }) => name === path);
  if (found === undefined) throw new Error(`no file ${path}`);
  return found;
};
export const layer = (model: LayoutModel, role: string): LayerModel => {
  const found = model.layers.find((one) => one.role === role);
  if (found === undefined) throw new Error(`no layer ${role}`);
  return found;
};
