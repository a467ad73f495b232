/** Gathers the files of a package from a checkout, as its configuration says, into one folder (15:15-19,66-71). */
import { execFile } from 'node:child_process';
import { copyFile, lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { hostProfile } from '../../contract/manifest.js';
import { platformOf } from '../layout/formats.js';
import { MANIFEST_PATH } from '../layout/layers.js';
import { readManifest } from '../manifest-check.js';
import { addonFolder, type PackageConfig } from './platforms.js';

const BUILD_MS = 600_000;

export interface AssembleInput {
  readonly config: PackageConfig;
  readonly platform: string;
  /** A program that was built before; its runtime files lie beside it as they will in the package. */
  readonly executable?: string;
}

/** Fills the empty folder `out`. Left: what is missing, as part of a sentence. */
export async function assemblePackage(input: AssembleInput, out: string): Promise<Either<string, void>> {
  const { config } = input;
  const source = join(addonFolder(config), MANIFEST_PATH);
  const bytes = await readFile(source).catch(() => undefined);
  if (bytes === undefined) return left(`${source} cannot be read`);
  const manifest = readManifest(bytes);
  if (isLeft(manifest)) return left(`the manifest is not valid: ${manifest.left}`);
  if (manifest.right.id !== config.id) return left(`the manifest is of ${manifest.right.id}, not of ${config.id}`);
  const program = await placeProgram(input, manifest.right.executable, out);
  if (isLeft(program)) return program;
  await copyFile(source, join(out, MANIFEST_PATH));
  const entry = manifest.right.capabilities.ui?.entry;
  if ((entry === undefined) !== (config.ui === undefined))
    return left('the manifest and the configuration do not agree on whether there is a page');
  const ui =
    config.ui === undefined ? right(undefined) : await copyTree(config, config.ui, join(out, dirname(entry ?? '')));
  if (isLeft(ui)) return ui;
  return config.skills === undefined ? right(undefined) : copyTree(config, config.skills, join(out, 'skills'));
}

async function placeProgram(input: AssembleInput, entrypoint: string, out: string): Promise<Either<string, void>> {
  const { config, executable } = input;
  if (executable === undefined) return buildProgram(input, out);
  const folder = dirname(executable);
  const inside = dirname(entrypoint);
  await mkdir(dirname(join(out, entrypoint)), { recursive: true });
  const copied = await copyPlain(executable, join(out, entrypoint));
  if (isLeft(copied)) return copied;
  for (const path of config.runtime) {
    const beside = inside !== '.' && path.startsWith(`${inside}/`) ? path.slice(inside.length + 1) : path;
    await mkdir(dirname(join(out, path)), { recursive: true });
    const file = await copyPlain(join(folder, beside), join(out, path));
    if (isLeft(file)) return file;
  }
  return right(undefined);
}

/** Runs `addons/<id>/cmd/<executable>/build.mjs OUT`, which makes the entrypoint and its runtime files for this host. */
async function buildProgram({ config, platform }: AssembleInput, out: string): Promise<Either<string, void>> {
  const { os, arch } = hostProfile(process.platform, process.arch);
  if (platform !== platformOf(os, arch))
    return left(`the program of ${platform} cannot be built on ${os}/${arch}; give it with --executable`);
  const script = join(addonFolder(config), 'cmd', config.executable, 'build.mjs');
  const ran = await new Promise<string | undefined>((resolve) => {
    execFile(process.execPath, [script, out], { cwd: config.root, timeout: BUILD_MS }, (error, _out, stderr) =>
      resolve(error === null ? undefined : stderr.trim().split('\n').slice(-5).join('\n')),
    );
  });
  return ran === undefined ? right(undefined) : left(`${script} failed:\n${ran}`);
}

async function copyTree(config: PackageConfig, from: string, to: string): Promise<Either<string, void>> {
  const source = join(config.root, from);
  const entries = await readdir(source, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return left(`the folder ${from} is missing`);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const target = join(to, path.slice(source.length));
    await mkdir(entry.isDirectory() ? target : dirname(target), { recursive: true });
    const copied = entry.isDirectory() ? right(undefined) : await copyPlain(path, target);
    if (isLeft(copied)) return copied;
  }
  return right(undefined);
}

/** With the permission bits, since those that nobody should have set are looked at later. */
async function copyPlain(from: string, to: string): Promise<Either<string, void>> {
  const stat = await lstat(from).catch(() => undefined);
  if (stat === undefined) return left(`${from} is missing`);
  if (!stat.isFile()) return left(`${from} is a link or a special file`);
  await copyFile(from, to);
  return right(undefined);
}
