/** The package store: verified stages, immutable published packages; the adapter behind the `PackageStore` port (06:128-190). */
import { createHash } from 'node:crypto';
import { chmodSync, closeSync, lstatSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids, PackageReceipt, PackageStore, Progress, StagedPackage } from '../commands/ports.js';
import type { Release, SourcePolicy } from '../contract/api.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { DEFAULT_LIMITS } from '../contract/limits.js';
import type { HostProfile } from '../contract/manifest.js';
import type { Manifest } from '../contract/manifest-types.js';
import type { Refusal } from '../contract/refusal.js';
import type { Artifact, ArtifactFetcher } from './artifact-fetcher.js';
import { inside, openFile, removeTree } from './beneath.js';
import { checkIcon } from './icon-check.js';
import { checkManifest, readManifest } from './manifest-check.js';
import type { PackageLimits } from './package-limits.js';
import { makeStage, removeStages, STAGE_PREFIX, withRoot } from './packages-root.js';
import { readIcon, readReceipt, verifyPackage, withPackage } from './published.js';
import { encodeReceipt } from './receipt.js';
import { fetchFailed, Refused, refusalOf, storageFailed, sweepFailed, unverified } from './refused.js';
import { type SyncFileSystem, syncPath, syncStage } from './stage-sync.js';
import { type PackageFile, RECEIPT, type StageFolder, writeWhole } from './stage-writer.js';
import { unpack } from './unpack.js';

export interface PackageStoreOptions {
  /** Absolute path of `packages/`; no symbolic link may be on the way to it. */
  readonly root: string;
  readonly host: HostProfile;
  readonly ids: Ids;
  readonly artifacts: ArtifactFetcher;
  readonly limits: PackageLimits;
  /** Without it every file is synced by itself, however many there are. */
  readonly syncFileSystem?: SyncFileSystem;
}

interface Stage {
  readonly name: string;
  /** Package-relative, parents before children. */
  readonly folders: readonly string[];
}

type StageOptions = { readonly signal: AbortSignal; readonly onProgress: (progress: Progress) => void };

/** One store for each packages folder; it assumes the owner lock, so that nobody else writes there. */
export function createPackageStore(options: PackageStoreOptions): PackageStore {
  const { root } = options;
  const busy = new Set<string>();
  const stages = new WeakMap<StagedPackage, Stage>();
  /** A handle is good once: whatever becomes of it, it is forgotten here first. */
  const take = (staged: StagedPackage): Stage | undefined => {
    const stage = stages.get(staged);
    stages.delete(staged);
    if (stage !== undefined) busy.delete(stage.name);
    return stage;
  };
  const packageRead = async <A>(
    directory: string,
    use: (fd: number) => Promise<Either<string, A>>,
  ): Promise<Either<string, A>> => {
    const result = await withRoot(root, async (fd) => right(await withPackage(fd, directory, use)));
    return isLeft(result) ? left(result.left.message) : result.right;
  };
  return {
    stage: (release, policy, { signal, onProgress }) =>
      withRoot(root, async (fd) => {
        const name = `${STAGE_PREFIX}${options.ids.hex(16)}`;
        busy.add(name);
        const built = await buildStage(options, fd, name, release, policy, { signal, onProgress });
        if (isLeft(built)) {
          busy.delete(name);
          return built;
        }
        const staged: StagedPackage = { receipt: built.right.receipt };
        stages.set(staged, { name, folders: built.right.folders });
        return right(staged);
      }),
    publish: async (staged) => {
      const stage = take(staged);
      if (stage === undefined) return left(storageFailed('the prepared package is not there any more; install again'));
      return withRoot(root, (fd) => publishStage(fd, stage, packageName(staged.receipt, options.ids)));
    },
    discard: async (staged) => {
      const stage = take(staged);
      if (stage !== undefined) await withRoot(root, async (fd) => right(await removeTree(fd, stage.name)));
    },
    receipt: async (directory) => {
      const receipt = await packageRead(directory, readReceipt);
      return isLeft(receipt) ? left(unverified(receipt.left)) : receipt;
    },
    verify: (directory) => packageRead(directory, verifyPackage),
    icon: async (directory) => {
      const icon = await packageRead(directory, readIcon);
      return isLeft(icon) ? left(unverified(icon.left)) : icon;
    },
    absolute: (directory) => join(root, directory),
    sweep: () => withRoot(root, async (fd) => right({ removed: await removeStages(fd, busy) }), sweepFailed),
  };
}

/** Downloads, unpacks, judges and syncs one package into the stage `name`; removes the stage again unless it succeeds. */
async function buildStage(
  options: PackageStoreOptions,
  root: number,
  name: string,
  release: Release,
  policy: SourcePolicy,
  { signal, onProgress }: StageOptions,
): Promise<Either<Refusal, { receipt: PackageReceipt; folders: readonly string[] }>> {
  if (policy.identityRegex !== undefined)
    return left(unverified('its library names the signer with a pattern, which add-ons do not allow'));
  const opened = await options.artifacts.open(release, policy, signal);
  if (isLeft(opened)) return opened;
  let stage: number | undefined;
  let done = false;
  try {
    stage = makeStage(root, name);
    const folder = { fd: stage, maxPaths: 2 * options.limits.entries, receipt: RECEIPT };
    const result = await fillStage(options, folder, opened.right, release, { signal, onProgress });
    done = !isLeft(result);
    return result;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return left(refusal);
  } finally {
    opened.right.close();
    if (stage !== undefined) {
      closeSync(stage);
      if (!done) await removeTree(root, name);
    }
  }
}

async function fillStage(
  options: PackageStoreOptions,
  stage: StageFolder,
  artifact: Artifact,
  release: Release,
  { signal, onProgress }: StageOptions,
): Promise<Either<Refusal, { receipt: PackageReceipt; folders: readonly string[] }>> {
  const content = await unpack({ artifact, stage, limits: options.limits, signal, onProgress });
  onProgress({ phase: 'verifying' });
  const judged = await judge(options, stage.fd, content.files, release);
  if (isLeft(judged)) return judged;
  const { manifest, manifestDigest, icon } = judged.right;
  const receipt: PackageReceipt = {
    addonId: manifest.id,
    version: manifest.version,
    sourceId: release.sourceId,
    channel: release.channel ?? '',
    selection: release.selection ?? release.version,
    artifact: release.artifact,
    ...artifact.proof,
    os: manifest.os,
    arch: manifest.arch,
    manifestDigest,
    manifest: manifest.raw,
    files: content.files,
    ...(icon === undefined ? {} : { icon }),
  };
  writeWhole(inside(stage.fd, RECEIPT), encodeReceipt(receipt), 0o444);
  await syncStage(stage, content, options.syncFileSystem);
  if (signal.aborted) throw new Refused(fetchFailed('it was cancelled'));
  return right({ receipt, folders: content.folders });
}

async function judge(
  options: PackageStoreOptions,
  stage: number,
  files: readonly PackageFile[],
  release: Release,
): Promise<Either<Refusal, { manifest: Manifest; manifestDigest: string; icon: PackageReceipt['icon'] }>> {
  const file = files.find(({ path }) => path === 'manifest.json');
  if (file === undefined) return left(unverified('it has no manifest.json'));
  if (file.size > DEFAULT_LIMITS.manifestBytes) return left(unverified('its manifest is larger than 64 KiB'));
  const handle = await open(inside(stage, 'manifest.json'), 'r');
  const bytes = await handle.readFile().finally(() => handle.close());
  const parsed = readManifest(bytes);
  if (isLeft(parsed)) return left(unverified(`its manifest is not valid: ${parsed.left}`));
  const manifest = parsed.right;
  const fits = checkManifest(manifest, release, options.host, files);
  if (isLeft(fits)) return fits;
  const icon = await checkIcon(stage, manifest, files);
  if (isLeft(icon)) return left(unverified(icon.left));
  // Loaded when a package is staged: it brings the YAML library, which a start does not need.
  const { checkSkillContents, checkSkills } = await import('./skills-check.js');
  const skills = checkSkills(manifest, files) ?? (await checkSkillContents(files, (path) => readStaged(stage, path)));
  if (skills !== undefined) return left(unverified(skills));
  const manifestDigest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return right({ manifest, manifestDigest, icon: icon.right });
}

async function readStaged(stage: number, path: string): Promise<Uint8Array> {
  const handle = await openFile(stage, path);
  return handle.readFile().finally(() => handle.close());
}

const packageName = (receipt: PackageReceipt, ids: Ids): string =>
  `${receipt.addonId}-${receipt.version}-${receipt.digest.slice('sha256:'.length, 'sha256:'.length + 12)}-${ids.hex(4)}`;

/**
 * Publishes by a rename, then closes the folders: a user that is not root cannot move a folder it may not write. A package that
 * stands under that name already is never touched.
 */
async function publishStage(root: number, stage: Stage, name: string): Promise<Either<Refusal, { directory: string }>> {
  if (lstatSync(inside(root, name), { throwIfNoEntry: false }) !== undefined) {
    await removeTree(root, stage.name);
    return left(storageFailed('a package of that name is there already; install again'));
  }
  let at = stage.name;
  try {
    renameSync(inside(root, stage.name), inside(root, name));
    at = name;
    for (const folder of [...stage.folders, '.'].reverse()) {
      chmodSync(inside(root, `${name}/${folder}`), 0o555);
      await syncPath(inside(root, `${name}/${folder}`));
    }
    await syncPath(inside(root, '.'));
  } catch (error) {
    await removeTree(root, at);
    throw error;
  }
  return right({ directory: name });
}
