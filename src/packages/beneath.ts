/**
 * Files and folders reached from an open folder, so that no link planted on the way can lead elsewhere (06:303-305). Node has no
 * `openat`; a path through `/proc/self/fd/N` is resolved by the kernel from the open folder in the same way.
 */
import { chmodSync, closeSync, constants, openSync } from 'node:fs';
import { type FileHandle, lstat, open, opendir, rmdir, unlink } from 'node:fs/promises';
import { type Either, left, right } from '../contract/fp.js';

/** Deeper than any package may be, and far below the number of files a process may have open. */
const MAX_DEPTH = 64;
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** O_PATH, which Node has no name for. */
const ANCESTOR = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The path of `name` in the folder that is open as `fd`; good for as long as `fd` is. */
export const inside = (fd: number, name: string): string => `/proc/self/fd/${fd}/${name}`;

/** Opens a folder; throws `ELOOP` or `ENOTDIR` when the last part of `path` is a link or no folder. The caller closes it. */
export const openDirectory = (path: string): number => openSync(path, DIRECTORY);

/**
 * Opens the folder at an absolute path, one part after the other, so that neither it nor a folder above it can be a symbolic link;
 * undefined when it does not exist. Left: why not. The caller closes it.
 */
export function openRealDirectory(path: string): Either<string, number | undefined> {
  let fd = openSync('/', ANCESTOR);
  try {
    const parts = path.split('/').filter((part) => part !== '');
    for (const [index, part] of parts.entries()) {
      // O_PATH needs no right to list a folder, which an ancestor often does not give.
      const next = openSync(inside(fd, part), index === parts.length - 1 ? DIRECTORY : ANCESTOR);
      closeSync(fd);
      fd = next;
    }
    return right(fd);
  } catch (error) {
    closeSync(fd);
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return right(undefined);
    if (code === 'ELOOP' || code === 'ENOTDIR')
      return left(
        'the packages folder, or one above it, is a symbolic link or not a folder; give the data path without links',
      );
    throw error;
  }
}

/**
 * Opens a regular file for reading by its package-relative path, following no link in any part of it. Throws `ELOOP`,
 * `ENOTDIR`, `ENOENT`, or an error of code `EINVAL` when it is no regular file.
 */
export async function openFile(directory: number, path: string): Promise<FileHandle> {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  let current = directory;
  try {
    for (const part of parts) {
      const next = openDirectory(inside(current, part));
      if (current !== directory) closeSync(current);
      current = next;
    }
    // Without O_NONBLOCK, opening a named pipe would wait for its other end.
    const file = await open(inside(current, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (stat.isFile()) return file;
    await file.close();
    throw Object.assign(new Error('not a regular file'), { code: 'EINVAL', syscall: 'open' });
  } finally {
    if (current !== directory) closeSync(current);
  }
}

/** Removes `name` and all below it from the open folder `parent`. Links are removed, never followed; foreign modes are made writable first. */
export async function removeTree(parent: number, name: string, depth = 0): Promise<void> {
  if (depth > MAX_DEPTH) throw new Error('a folder of the packages is nested too deeply to be removed');
  const path = inside(parent, name);
  const stat = await lstat(path);
  if (!stat.isDirectory()) return unlink(path);
  const fd = openWritable(path);
  try {
    for await (const entry of await opendir(inside(fd, '.'))) await removeTree(fd, entry.name, depth + 1);
  } finally {
    closeSync(fd);
  }
  await rmdir(path);
}

/** Opens a folder after giving its owner every right on it; a folder of mode 0 can be held by O_PATH but not be read. */
function openWritable(path: string): number {
  const held = openSync(path, ANCESTOR);
  try {
    // Without a dot behind it: that would already need the right to search the folder.
    chmodSync(`/proc/self/fd/${held}`, 0o700);
    return openDirectory(inside(held, '.'));
  } finally {
    closeSync(held);
  }
}
