/** The folder that holds stages and published packages, opened so that no symbolic link can stand in its place (06:303-305). */
import { closeSync, fchmodSync, fstatSync, mkdirSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import type { Refusal } from '../contract/refusal.js';
import { inside, openDirectory, openRealDirectory, removeTree } from './beneath.js';
import { refusalOf, storageFailed } from './refused.js';
import { syncPath } from './stage-sync.js';

export const STAGE_PREFIX = 'stage-';

/**
 * Runs `use` with the open folder `root`, made with mode 0700 when it is absent. Left: `install_storage_failed` when the folder
 * or one above it is a symbolic link, belongs to another user, or can be written by others; or when `use` met a storage error.
 *
 * @param said the words of that refusal
 */
export async function withRoot<A>(
  root: string,
  use: (fd: number) => Promise<Either<Refusal, A>>,
  said: typeof storageFailed = storageFailed,
): Promise<Either<Refusal, A>> {
  let fd: number | undefined;
  try {
    const opened = openOrMake(root);
    if (isLeft(opened)) return left(said(opened.left));
    fd = opened.right;
    const stat = fstatSync(fd);
    if (stat.uid !== process.geteuid?.()) return left(said('the packages folder belongs to another user'));
    if ((stat.mode & 0o022) !== 0) return left(said('the packages folder can be written by other users'));
    return await use(fd);
  } catch (error) {
    const refusal = refusalOf(error, said);
    if (refusal === undefined) throw error;
    return left(refusal);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function openOrMake(root: string): Either<string, number> {
  for (const make of [false, true]) {
    if (make) mkdirSync(root, { recursive: true, mode: 0o700 });
    const opened = openRealDirectory(root);
    if (isLeft(opened)) return opened;
    if (opened.right !== undefined) return right(opened.right);
  }
  return left('the packages folder could not be made');
}

/** Makes a new private stage folder and opens it; the caller closes it. */
export function makeStage(root: number, name: string): number {
  mkdirSync(inside(root, name), { mode: 0o700 });
  const fd = openDirectory(inside(root, name));
  // The mode of `mkdir` is cut by the umask.
  fchmodSync(fd, 0o700);
  return fd;
}

/** Removes every `stage-*` of the open folder but those in `busy`, and answers how many there were. Published packages stay. */
export async function removeStages(root: number, busy: ReadonlySet<string>): Promise<number> {
  const names: string[] = [];
  for await (const entry of await opendir(inside(root, '.')))
    if (entry.name.startsWith(STAGE_PREFIX) && !busy.has(entry.name)) names.push(entry.name);
  for (const name of names) await removeTree(root, name);
  if (names.length > 0) await syncPath(inside(root, '.'));
  return names.length;
}
