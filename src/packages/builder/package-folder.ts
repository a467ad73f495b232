/** Reads a folder that is to become a package, and judges it by the rules an installing owner will apply. */

import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Manifest } from '../../contract/manifest-types.js';
import { iconProblem } from '../icon-check.js';
import { fileProblem, readManifest } from '../manifest-check.js';
import { DEFAULT_PACKAGE_LIMITS } from '../package-limits.js';
import { pathProblem } from '../package-path.js';
import { checkSkillContents, checkSkills } from '../skills-check.js';
import { type PackageFile, RECEIPT } from '../stage-writer.js';

export interface PackageFolder {
  readonly manifest: Manifest;
  /** In the order of the archive: by the bytes of the path. */
  readonly files: readonly PackageFile[];
}

/** Left: the first thing an owner would refuse, with the path it is about. */
export async function readPackageFolder(directory: string): Promise<Either<string, PackageFolder>> {
  const paths = await walk(directory, '');
  if (isLeft(paths)) return paths;
  if (paths.right.length > DEFAULT_PACKAGE_LIMITS.entries) return left('the folder has more than 10,000 files');
  const bytes = await readFile(join(directory, 'manifest.json')).catch(() => undefined);
  if (bytes === undefined) return left('the folder has no manifest.json');
  const manifest = readManifest(bytes);
  if (isLeft(manifest)) return left(`the manifest is not valid: ${manifest.left}`);
  const files: PackageFile[] = [];
  for (const path of paths.right.sort((a, b) => (a < b ? -1 : 1)))
    files.push(await describe(directory, path, manifest.right));
  const problem =
    fileProblem(manifest.right, files) ??
    checkSkills(manifest.right, files) ??
    (await checkSkillContents(files, (path) => readFile(join(directory, path)))) ??
    (await checkIcon(directory, manifest.right));
  return problem === undefined ? right({ manifest: manifest.right, files }) : left(problem);
}

async function walk(directory: string, at: string): Promise<Either<string, string[]>> {
  const paths: string[] = [];
  for (const entry of await readdir(join(directory, at), { withFileTypes: true })) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    const problem = pathProblem(path);
    if (problem !== undefined) return left(`${JSON.stringify(path)} is ${problem}`);
    if (path === RECEIPT) return left(`${RECEIPT} is written by the owner; take it out of the folder`);
    if (entry.isDirectory()) {
      const inner = await walk(directory, path);
      if (isLeft(inner)) return inner;
      paths.push(...inner.right);
    } else if (entry.isFile()) paths.push(path);
    else return left(`${path} is a link or a special file`);
  }
  return right(paths);
}

/** The executable is marked as such whatever its mode here is: some checkouts and file systems lose the bit. */
async function describe(directory: string, path: string, manifest: Manifest): Promise<PackageFile> {
  const stat = await lstat(join(directory, path));
  const bytes = await readFile(join(directory, path));
  return {
    path,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    executable: path === manifest.executable || (stat.mode & 0o100) !== 0,
  };
}

async function checkIcon(directory: string, manifest: Manifest): Promise<string | undefined> {
  const path = manifest.capabilities.ui?.icon;
  return path === undefined ? undefined : iconProblem(path, await readFile(join(directory, path)));
}
