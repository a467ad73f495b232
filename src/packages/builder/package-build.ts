/** Makes the package of an add-on from a folder: an uncompressed tar whose digest depends on the folder's content alone. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Manifest } from '../../contract/manifest-types.js';
import { DEFAULT_PACKAGE_LIMITS } from '../package-limits.js';
import { type ArchivedFile, archiveOf } from './archive.js';
import { type PackageFolder, readPackageFolder } from './package-folder.js';

export interface BuiltPackage {
  /** `sha256:` of the archive: what a library entry pins. */
  readonly digest: string;
  readonly size: number;
  readonly manifest: Manifest;
}

/**
 * Writes the package of the folder `directory` to the file `out`, by a temporary file and a rename. The bytes do not depend on
 * times, owners, umask or the order the folder is listed in. Left: what an owner would refuse about it; nothing is written then.
 */
export async function buildPackage(directory: string, out: string): Promise<Either<string, BuiltPackage>> {
  const folder = await readPackageFolder(directory);
  if (isLeft(folder)) return folder;
  const temporary = `${out}.part`;
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o644);
  try {
    const sink = new Sink(file);
    for await (const chunk of archiveOf(contents(directory, folder.right.files))) await sink.write(chunk);
    if (sink.size > DEFAULT_PACKAGE_LIMITS.expandedBytes) return left('the package is larger than 512 MiB');
    await file.sync();
    await rename(temporary, out);
    return right({ digest: `sha256:${sink.digest()}`, size: sink.size, manifest: folder.right.manifest });
  } catch (error) {
    if (error instanceof Changed) return left(error.message);
    throw error;
  } finally {
    await file.close();
    await rm(temporary, { force: true });
  }
}

async function* contents(directory: string, files: PackageFolder['files']): AsyncGenerator<ArchivedFile> {
  for (const { path, size, executable } of files) {
    const bytes = await readFile(join(directory, path));
    if (bytes.length !== size) throw new Changed(`${path} changed while the package was built`);
    yield { path, executable, bytes };
  }
}

class Changed extends Error {}

class Sink {
  size = 0;
  private readonly hash = createHash('sha256');

  constructor(private readonly file: FileHandle) {}

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    this.hash.update(bytes);
    this.size += bytes.length;
    await this.file.writeFile(bytes);
  }

  digest(): string {
    return this.hash.digest('hex');
  }
}
