/** The backends directory: one folder for each backend with its `metadata.json`, put there whole or not at all (04:331-337). */
import { closeSync, existsSync, readdirSync, renameSync } from 'node:fs';
import type { BackendInstall, BackendStore, Clock, Ids, InstalledBackend } from '../commands/ports.js';
import type { SourcePolicy } from '../contract/api.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { Artifact, ArtifactFetcher } from './artifact-fetcher.js';
import { METADATA, metadataBytes, readMetadata } from './backend-metadata.js';
import { inside, removeTree } from './beneath.js';
import type { PackageLimits } from './package-limits.js';
import { makeStage, withRoot } from './packages-root.js';
import { type SyncFileSystem, syncPath, syncStage } from './stage-sync.js';
import { writeWhole } from './stage-writer.js';
import { unpack } from './unpack.js';

export interface BackendStoreOptions {
  /** Absolute path of the backends directory, with no symbolic link on the way to it. */
  readonly root: string;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly images: ArtifactFetcher;
  readonly limits: PackageLimits;
  readonly syncFileSystem?: SyncFileSystem;
}

type Steps = Parameters<BackendStore['install']>[2];

/** No backend can have these names, since they begin with a dot. */
const STAGE = '.stage-';
/** What a reinstall moved aside. */
const ASIDE = '.replaced-';

export function createBackendStore(options: BackendStoreOptions): BackendStore {
  return {
    install: (wanted, policy, steps) => withRoot(options.root, (root) => install(root, options, wanted, policy, steps)),
    installed: () => withRoot(options.root, async (root) => right(await allInstalled(root))),
    sweep: () => withRoot(options.root, async (root) => right(await sweep(root))),
  };
}

async function install(
  root: number,
  options: BackendStoreOptions,
  wanted: BackendInstall,
  policy: SourcePolicy,
  steps: Steps,
): Promise<Either<Refusal, void>> {
  const { id } = wanted.release;
  const other = await otherOrigin(root, id, wanted.library);
  if (other !== undefined) return left(other);
  const image = await openFirst(options.images, wanted, policy, steps);
  if (isLeft(image)) return image;
  steps.onPhase('fetching');
  const stage = `${STAGE}${options.ids.hex(16)}`;
  const fd = makeStage(root, stage);
  try {
    const { limits } = options;
    const folder = { fd, maxPaths: limits.entries, receipt: METADATA };
    const { signal, onProgress } = steps;
    const content = await unpack({ artifact: image.right.artifact, stage: folder, limits, signal, onProgress });
    if (content.files.length === 0)
      return left(refuse('package_unverified', 'The image is empty. Nothing was installed.'));
    steps.onPhase('writing');
    const { proof } = image.right.artifact;
    writeWhole(inside(fd, METADATA), metadataBytes(wanted, image.right.uri, proof, options.clock.now()), 0o444);
    await syncStage(folder, content, options.syncFileSystem);
    // What stands there now is looked at again: the download took its time.
    const late = await otherOrigin(root, id, wanted.library);
    if (late !== undefined) return left(late);
    await put(root, stage, id, options.ids);
    return right(undefined);
  } finally {
    image.right.artifact.close();
    closeSync(fd);
    if (existsSync(inside(root, stage))) await removeTree(root, stage);
  }
}

/** The artifact, or the first of its mirrors that has it: only a registry that has it not is a reason to look at the next. */
async function openFirst(
  images: ArtifactFetcher,
  { release }: BackendInstall,
  policy: SourcePolicy,
  { signal, onPhase }: Steps,
): Promise<Either<Refusal, { readonly artifact: Artifact; readonly uri: string }>> {
  let last: Either<Refusal, Artifact> | undefined;
  for (const uri of [release.artifact, ...(release.mirrors ?? [])]) {
    last = await images.open({ ...release, artifact: uri }, policy, signal, onPhase);
    if (!isLeft(last)) return right({ artifact: last.right, uri });
    if (last.left.detail?.code !== 'absent' || release.mutable === true) return last;
  }
  return last as Either<Refusal, never>;
}

/** Why a folder of this name must stay as it is; undefined when there is none, or it came from the same library (04:346-350). */
async function otherOrigin(root: number, name: string, library: string): Promise<Refusal | undefined> {
  if (!existsSync(inside(root, name))) return undefined;
  const metadata = await readMetadata(root, name);
  if (!isLeft(metadata) && metadata.right.library === library) return undefined;
  return refuse(
    'operation_conflict',
    'A backend of this name is installed from another place. Nothing changed. Remove that one first.',
  );
}

/** Two renames: one that is cut off between them is finished by the sweep of the next start. */
async function put(root: number, stage: string, name: string, ids: Ids): Promise<void> {
  const aside = `${ASIDE}${ids.hex(8)}-${name}`;
  const replaces = existsSync(inside(root, name));
  if (replaces) renameSync(inside(root, name), inside(root, aside));
  renameSync(inside(root, stage), inside(root, name));
  await syncPath(inside(root, '.'));
  if (replaces) await removeTree(root, aside);
}

async function allInstalled(root: number): Promise<readonly InstalledBackend[]> {
  const found: InstalledBackend[] = [];
  for (const name of readdirSync(inside(root, '.')).sort()) {
    if (name.startsWith('.')) continue;
    const metadata = await readMetadata(root, name);
    if (isLeft(metadata)) continue;
    const { library, version, digest } = metadata.right;
    if (library !== undefined) found.push({ name, library, version, digest });
  }
  return found;
}

/** Puts back what a cut replacement moved aside, and removes what no install will finish. */
async function sweep(root: number): Promise<{ readonly removed: number }> {
  let removed = 0;
  for (const stage of readdirSync(inside(root, '.')).filter((name) => name.startsWith(STAGE))) {
    await removeTree(root, stage);
    removed += 1;
  }
  for (const aside of readdirSync(inside(root, '.')).filter((name) => name.startsWith(ASIDE))) {
    const name = aside.slice(ASIDE.length + 17);
    if (existsSync(inside(root, name))) {
      await removeTree(root, aside);
      removed += 1;
    } else renameSync(inside(root, aside), inside(root, name));
  }
  await syncPath(inside(root, '.'));
  return { removed };
}
