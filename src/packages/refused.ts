/**
 * How a refusal leaves the middle of a stream. Inside staging it travels as an exception, because a generator that is half way
 * through an archive has no other way out; the store turns it back into a value at its boundary.
 */
import { type Refusal, refuse } from '../contract/refusal.js';

export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

export const unverified = (why: string): Refusal =>
  refuse('package_unverified', `The package was refused: ${why}. Nothing was installed.`);
export const fetchFailed = (why: string): Refusal =>
  refuse('package_fetch_failed', `The package could not be downloaded: ${why}. Nothing was installed.`);
export const storageFailed = (why: string): Refusal =>
  refuse(
    'install_storage_failed',
    `The package could not be written to the add-on storage: ${why}. Nothing was installed.`,
  );

/** The refusal for what was thrown while staging, or undefined for a fault of ours, which the caller lets go on. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refused) return error.refusal;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const call = (error as NodeJS.ErrnoException | undefined)?.syscall;
  if (typeof code !== 'string' || typeof call !== 'string') return undefined;
  return storageFailed(STORAGE_WORDS[code] ?? `the file system answered ${code}`);
}

const STORAGE_WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space and install again',
  EDQUOT: 'the disk quota is used up; free some space and install again',
  EFBIG: 'a file is larger than this system allows',
  EROFS: 'the file system is read-only',
  EACCES: 'access was denied',
  EPERM: 'access was denied',
  EIO: 'the disk reported an error; check it before you install again',
  EMFILE: 'too many files are open; try again',
  ENFILE: 'too many files are open; try again',
};
