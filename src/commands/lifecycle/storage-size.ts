/** The size of what an add-on retains: a bounded walk that follows no link, remembered for half a minute (12:390-393). */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../ports.js';

export interface StorageSize {
  readonly bytes: number;
  /** `bytes` is a lower bound then. */
  readonly truncated: boolean;
}

export interface WalkLimits {
  readonly entries: number;
  readonly ms: number;
}

const LIMITS: WalkLimits = { entries: 20_000, ms: 750 };
const FRESH_MS = 30_000;
const BATCH = 32;

/** Adds up the sizes of regular files below a directory; what cannot be read counts as nothing and as truncated. */
export async function measure(directory: string, now: () => number, limits: WalkLimits = LIMITS): Promise<StorageSize> {
  const deadline = now() + limits.ms;
  const folders = [directory];
  let bytes = 0;
  let entries = 0;
  let truncated = false;
  const sizes = async (batch: readonly string[]): Promise<void> => {
    for (const stat of await Promise.all(batch.map((path) => lstat(path).catch(() => undefined)))) {
      if (stat === undefined) truncated = true;
      else if (stat.isFile()) bytes += stat.size;
    }
  };
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const opened = await opendir(folder, { bufferSize: BATCH }).catch((error: NodeJS.ErrnoException) => error.code);
    if (opened === undefined || typeof opened === 'string') {
      truncated ||= opened !== 'ENOENT';
      continue;
    }
    let batch: string[] = [];
    for await (const entry of opened) {
      entries += 1;
      if (entries > limits.entries || now() > deadline) {
        await sizes(batch);
        return { bytes, truncated: true };
      }
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else if (entry.isFile()) batch.push(join(folder, entry.name));
      if (batch.length >= BATCH) {
        await sizes(batch);
        batch = [];
      }
    }
    await sizes(batch);
  }
  return { bytes, truncated };
}

export class StorageSizes {
  private readonly known = new Map<string, { readonly at: number; readonly size: Promise<StorageSize> }>();

  constructor(private readonly clock: Clock) {}

  /** The size of a directory, at most half a minute old; calls at the same time share one walk. */
  of(directory: string): Promise<StorageSize> {
    const now = (): number => this.clock.now().getTime();
    const known = this.known.get(directory);
    if (known !== undefined && now() - known.at < FRESH_MS) return known.size;
    const size = measure(directory, now);
    this.known.set(directory, { at: now(), size });
    return size;
  }
}
