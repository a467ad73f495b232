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
export const storageFailed = (why: string, remedy?: string): Refusal =>
  refuse(
    'install_storage_failed',
    `The package could not be written to the add-on storage: ${why}${remedy === undefined ? '' : `; ${remedy} and install again`}. Nothing was installed.`,
  );
/** For the cleaning at the start, when nobody installs anything. */
export const sweepFailed = (why: string, remedy = 'set this right'): Refusal =>
  refuse(
    'install_storage_failed',
    `what earlier installations left unfinished in the add-on storage could not be cleaned up: ${why}. No add-on was started, and no installed add-on was changed. To go on, ${remedy} and start the server again.`,
  );

/** The refusal for what was thrown while staging, or undefined for a fault of ours, which the caller lets go on. */
export function refusalOf(error: unknown, said: typeof storageFailed = storageFailed): Refusal | undefined {
  if (error instanceof Refused) return error.refusal;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const call = (error as NodeJS.ErrnoException | undefined)?.syscall;
  if (typeof code !== 'string' || typeof call !== 'string') return undefined;
  const [why, remedy] = STORAGE_WORDS[code] ?? [`the file system answered ${code}`];
  return said(why, remedy);
}

/** What happened, and what helps where one thing does. */
const STORAGE_WORDS: Readonly<Record<string, readonly [why: string, remedy?: string]>> = {
  ENOSPC: ['the disk is full', 'free some space'],
  EDQUOT: ['the disk quota is used up', 'free some space'],
  EFBIG: ['a file is larger than this system allows'],
  EROFS: ['the file system is read-only'],
  EACCES: ['access was denied'],
  EPERM: ['access was denied'],
  EIO: ['the disk reported an error', 'check the disk'],
  EMFILE: ['too many files are open', 'wait a moment'],
  ENFILE: ['too many files are open', 'wait a moment'],
};
