/** Keeps a reserve of the disk free, so that a full disk refuses an append instead of failing a commit. */
import { statfsSync } from 'node:fs';
import type { SpaceShortage } from '../storage.js';

/** Room for the log to close in good order, for LMDB's copies of inner pages, and for people to clean up. */
export const RESERVE_BYTES = 64 * 1024 * 1024;
/** A record of a few hundred bytes rewrites some pages of 4 KiB on its way to the roots. */
const PAGES_PER_APPEND = 32 * 4096;
const FRESH_MS = 100;
const FRESH_BYTES = 4 * 1024 * 1024;

export class SpaceGuard {
  private free = 0;
  private askedAt = Number.NEGATIVE_INFINITY;
  private promised = 0;

  constructor(
    private readonly path: string,
    private readonly reserve: number = RESERVE_BYTES,
    private readonly freeBytes: (path: string) => number = available,
  ) {}

  /** Asks the file system at most every 100 ms and 4 MiB, and counts what was promised since. */
  shortage(bytes: number): SpaceShortage | undefined {
    const needed = bytes + PAGES_PER_APPEND;
    const now = performance.now();
    if (
      now - this.askedAt > FRESH_MS ||
      this.promised > FRESH_BYTES ||
      this.free - this.promised < this.reserve + needed
    ) {
      this.free = this.freeBytes(this.path);
      this.askedAt = now;
      this.promised = 0;
    }
    const left = this.free - this.promised;
    if (left < this.reserve + needed) return { path: this.path, freeBytes: left, neededBytes: this.reserve + needed };
    this.promised += bytes;
    return undefined;
  }
}

function available(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
