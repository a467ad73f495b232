/** The number of the newest transaction in a database file, read from its two meta pages and past LMDB's own memory. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { META_AT } from './preflight.js';

const META_BYTES = 160;

/** @param fd an open file that `preflight.ts` found plausible. */
export function newestOf(fd: number): bigint {
  const page = Buffer.alloc(META_BYTES);
  readWhole(fd, page, 0);
  const first = page.readBigUInt64LE(META_AT.txn);
  const size = page.readUInt32LE(META_AT.pageSize);
  readWhole(fd, page, size);
  const second = page.readBigUInt64LE(META_AT.txn);
  if (first > second) return first;
  return second;
}

function readWhole(fd: number, page: Buffer, at: number): void {
  if (readSync(fd, page, 0, META_BYTES, at) !== META_BYTES)
    throw new Error('the file of the journal ends in its meta pages');
}

export function newestTransaction(file: string): bigint {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return newestOf(fd);
  } finally {
    closeSync(fd);
  }
}
