/** The data directory of an add-on: made private before its first start, and asked whether it holds anything. */
import { chmod, lstat, mkdir, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Either, left, right } from '../../contract/fp.js';

export const dataDirectory = (dataRoot: string, addonId: string): string => join(dataRoot, addonId);

/** What never counts as data: it can be made again (13, "Data recovery"; decisions, chapters 11 to 14, 10). */
const NOT_DATA = new Set(['exports', 'tmp']);

/** True when the directory holds any entry that counts as data. A missing directory holds none. */
export async function holdsData(directory: string): Promise<boolean> {
  try {
    for await (const entry of await opendir(directory)) if (!NOT_DATA.has(entry.name)) return true;
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Makes the directory with mode 0700 if it is missing; left when something else stands in its place. */
export async function ensureDataDirectory(directory: string): Promise<Either<{ readonly reason: string }, void>> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // mkdir accepts a symbolic link to a directory, which would let data leave the root.
    if ((await lstat(directory)).isDirectory()) return right(undefined);
    return left({ reason: 'the data directory is not a real directory' });
  } catch (error) {
    return left({ reason: `the data directory cannot be used (${(error as NodeJS.ErrnoException).code ?? 'fault'})` });
  }
}

/** Removes everything that counts as data and keeps `exports` and `tmp`; right with the number of entries that went. */
export async function clearData(directory: string): Promise<Either<{ readonly reason: string }, number>> {
  let removed = 0;
  try {
    if (!(await lstat(directory)).isDirectory()) return left({ reason: 'the data directory is not a real directory' });
    for await (const entry of await opendir(directory)) {
      if (NOT_DATA.has(entry.name)) continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) await makeWritable(path);
      await rm(path, { recursive: true });
      removed += 1;
    }
    return right(removed);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? right(removed) : left({ reason: code ?? 'fault' });
  }
}

/** Nobody but root empties a folder that is read-only, whoever owns it. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for await (const entry of await opendir(folder))
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}
