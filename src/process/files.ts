/** Small private files and folders of the owner root, written so that a crash leaves the old or the new, never a half. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** The path of a name in an open directory: short whatever the directory's own path is, and safe from its renaming. */
export function within(directory: number, name: string): string {
  return `/proc/self/fd/${directory}/${name}`;
}

/** The code of a failed file call, for example `ELOOP`; undefined for anything that is not one. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Opens a directory that is no symbolic link; creates it with mode 0700 when it is missing. Throws as `open` does. */
export function openDirectory(path: string): number {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** Replaces a file of an open directory by a temporary file, a sync, a rename and a sync of the directory. Mode 0600. */
export function replaceFile(directory: number, name: string, bytes: Uint8Array): void {
  const temporary = within(directory, `.${name}.${randomBytes(6).toString('hex')}`);
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
    renameSync(temporary, within(directory, name));
  } catch (error) {
    unlinkQuietly(temporary);
    throw error;
  } finally {
    closeSync(fd);
  }
  fsyncSync(directory);
}

/** The bytes of a regular file of at most `limit` bytes; undefined when it is missing. Throws for links and long files. */
export function readSmallFile(directory: number, name: string, limit: number): Uint8Array | undefined {
  let fd: number;
  try {
    fd = openSync(within(directory, name), O_RDONLY | O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > limit) throw new Error(`${name} is not a regular file of at most ${limit} bytes`);
    const bytes = Buffer.alloc(stat.size);
    let at = 0;
    for (let got = -1; got !== 0 && at < bytes.length; at += got) got = readSync(fd, bytes, at, bytes.length - at, at);
    return bytes.subarray(0, at);
  } finally {
    closeSync(fd);
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was renamed, or the directory itself is failing; the first error is the one to report.
  }
}
