/** Makes the OCI layout of one package for one platform: the same inputs give the same digest everywhere (15:9-32). */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Manifest } from '../../contract/manifest-types.js';
import { archiveOf } from '../builder/archive.js';
import { readPackageFolder } from '../builder/package-folder.js';
import { readManifest } from '../manifest-check.js';
import { DEFAULT_PACKAGE_LIMITS } from '../package-limits.js';
import type { PackageFile } from '../stage-writer.js';
import { jsonBytes, prepareBlobs, sha256, writeBlob, writeJsonBlob, writeSynced } from './blobs.js';
import {
  annotationsOf,
  type ImageBlob,
  type ImageDocument,
  isRevision,
  type LayerBlob,
  MEDIA,
  NOTE,
  PACKAGE_TYPE,
  platformOf,
  platformParts,
  type Role,
} from './formats.js';
import { gzip } from './gzip.js';
import { MANIFEST_PATH, roleOf, rolesOf, runtimeProblem, uiFolder } from './layers.js';
import { OCI_LAYOUT, receiptOf, type VerifiedLayout, verifyLayout } from './layout-verify.js';
import { isScript, scriptProblem } from './react-check.js';

export interface ImageInput {
  /** The files of the package, `manifest.json` among them; its version and platform are overwritten. */
  readonly folder: string;
  readonly version: string;
  /** `linux/amd64`. */
  readonly platform: string;
  /** The commit the content was made from, when it is known. */
  readonly revision?: string;
  /** The files beside the entrypoint that the executable layer must have, and the only ones it may have. */
  readonly runtime?: readonly string[];
}

/**
 * Writes the layout to the folder `layout`, which must not exist yet or be empty; it appears whole or not at all. Left: what is
 * wrong with the inputs, as part of a sentence. Sends nothing anywhere.
 */
export async function buildImage(input: ImageInput, layout: string): Promise<Either<string, VerifiedLayout>> {
  const plan = await planImage(input);
  if (isLeft(plan)) return plan;
  return publishLayout(layout, (temporary) => writeImage(plan.right, temporary), {
    version: input.version,
    platforms: [input.platform],
    ...(input.runtime === undefined ? {} : { runtime: input.runtime }),
  });
}

/** Fills a folder beside `layout`, verifies it as everyone else will, and only then gives it its name. */
export async function publishLayout(
  layout: string,
  fill: (temporary: string) => Promise<Either<string, void>>,
  expected: Parameters<typeof verifyLayout>[1],
): Promise<Either<string, VerifiedLayout>> {
  const present = await readdir(layout).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (present.length > 0) return left(`${layout} is not empty`);
  const temporary = `${layout}.part`;
  await rm(temporary, { recursive: true, force: true });
  try {
    await mkdir(temporary, { recursive: true });
    const filled = await fill(temporary);
    if (isLeft(filled)) return filled;
    const verified = await verifyLayout(temporary, expected);
    if (isLeft(verified)) return verified;
    await rm(layout, { recursive: true, force: true });
    await rename(temporary, layout);
    return verified;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

interface Plan {
  readonly input: ImageInput;
  readonly manifest: Manifest;
  readonly manifestBytes: Buffer;
  readonly layers: readonly { readonly role: Role; readonly files: readonly PackageFile[] }[];
}

async function planImage(input: ImageInput): Promise<Either<string, Plan>> {
  const { folder, version, platform, revision, runtime } = input;
  const parts = platformParts(platform);
  if (parts === undefined) return left(`"${platform}" is not a platform such as linux/amd64`);
  if (revision !== undefined && !isRevision(revision)) return left('the revision is not a full commit name');
  const read = await readPackageFolder(folder);
  if (isLeft(read)) return read;
  const { files } = read.right;
  if (files.reduce((sum, { size }) => sum + size, 0) > DEFAULT_PACKAGE_LIMITS.expandedBytes)
    return left('the package is larger than 512 MiB');
  const manifestBytes = jsonBytes({ ...read.right.manifest.raw, version, ...parts });
  const manifest = readManifest(manifestBytes);
  if (isLeft(manifest)) return left(`the manifest is not valid: ${manifest.left}`);
  const ui = uiFolder(manifest.right);
  if (isLeft(ui)) return ui;
  const layers = rolesOf(manifest.right).map((role) => ({
    role,
    files: files.filter(({ path }) => roleOf(path, ui.right) === role),
  }));
  const program = (layers[0]?.files ?? []).map(({ path }) => path);
  const problem =
    (runtime === undefined ? undefined : runtimeProblem(program, manifest.right.executable, runtime)) ??
    (await sourceProblem(folder, files, manifest.right, ui.right));
  return problem === undefined ? right({ input, manifest: manifest.right, manifestBytes, layers }) : left(problem);
}

/** Read and write bits of a source depend on the umask and mean nothing; the others were set by someone (15:40-41). */
async function sourceProblem(
  folder: string,
  files: readonly PackageFile[],
  manifest: Manifest,
  ui: string | undefined,
) {
  for (const { path } of files) {
    const { mode } = await lstat(join(folder, path));
    if ((mode & 0o7000) !== 0) return `${path} has a set-id or sticky bit`;
    if ((mode & 0o111) !== 0 && path !== manifest.executable) return `${path} is executable and is not the entrypoint`;
    if (roleOf(path, ui) !== 'ui' || !isScript(path)) continue;
    const problem = scriptProblem(path, await readFile(join(folder, path)));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function writeImage(plan: Plan, layout: string): Promise<Either<string, void>> {
  const { input, manifest } = plan;
  await prepareBlobs(layout);
  const layers: LayerBlob[] = [];
  const diffIds: string[] = [];
  for (const { role, files } of plan.layers) {
    const tar = new Summed(archiveOf(contents(plan, files)));
    const written = await writeBlob(layout, gzip(tar.chunks()));
    if (tar.changed !== undefined) return left(tar.changed);
    layers.push({ mediaType: MEDIA.layer, ...written, annotations: { [NOTE.layer]: role } });
    diffIds.push(tar.digest());
  }
  const { os, arch: architecture } = manifest;
  const rootfs = { type: 'layers' as const, diff_ids: diffIds };
  const config = await writeJsonBlob(layout, MEDIA.config, { architecture, os, rootfs });
  const platform = platformOf(os, architecture);
  const annotations = annotationsOf({ id: manifest.id, version: manifest.version, platform, revision: input.revision });
  const document: ImageDocument = {
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    artifactType: PACKAGE_TYPE,
    config,
    layers,
    annotations,
  };
  const written = await writeJsonBlob(layout, MEDIA.manifest, document);
  const blob: ImageBlob = { ...written, artifactType: PACKAGE_TYPE, platform: { os, architecture } };
  await writeTop(layout, blob);
  const { id, version } = manifest;
  const revision = input.revision === undefined ? {} : { revision: input.revision };
  const images = [{ blob, document, blobs: [], platform, manifest, files: [] }];
  await writeSynced(join(layout, 'receipt.json'), jsonBytes(receiptOf({ id, version, ...revision, images })));
  return right(undefined);
}

/** `oci-layout` and `index.json`, which names the one thing the layout is. */
export async function writeTop(layout: string, blob: object): Promise<void> {
  await writeSynced(join(layout, 'oci-layout'), Buffer.from(OCI_LAYOUT));
  const top = { schemaVersion: 2, mediaType: MEDIA.index, manifests: [blob] };
  await writeSynced(join(layout, 'index.json'), jsonBytes(top));
}

async function* contents({ input, manifest, manifestBytes }: Plan, files: readonly PackageFile[]) {
  for (const { path, sha256: expected } of files) {
    const source = path === MANIFEST_PATH ? manifestBytes : await readFile(join(input.folder, path));
    if (path !== MANIFEST_PATH && sha256(source) !== expected) throw new Changed(path);
    yield { path, executable: path === manifest.executable, bytes: source };
  }
}

class Changed extends Error {}

/** Sums up the archive on its way to the compressor, and ends it early when a file changed meanwhile. */
class Summed {
  changed: string | undefined;
  private readonly hash = createHash('sha256');

  constructor(private readonly archive: AsyncIterable<Uint8Array>) {}

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.archive) {
        this.hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      if (!(error instanceof Changed)) throw error;
      this.changed = `${error.message} changed while the package was built`;
    }
  }

  digest(): string {
    return `sha256:${this.hash.digest('hex')}`;
  }
}
