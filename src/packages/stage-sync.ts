/** Makes a stage durable, so that the rename after it publishes only what is on disk (06:166-172). */
import { open } from 'node:fs/promises';
import { inside } from './beneath.js';
import { AT_ONCE_BYTES, type StageContent, type StageFolder } from './stage-writer.js';

/** One less than there are threads for it: other calls to the file system do not wait behind slow syncs. */
const SYNC_CONCURRENCY = 3;
/** Up to so many files are synced one by one. */
const SYNC_EACH = 64;

/** Writes the whole file system that holds the open `fd` to its disk; rejects with a file system error when any of it failed. */
export type SyncFileSystem = (fd: number) => Promise<void>;

/**
 * Syncs every file that the writer did not sync itself, then every folder, the stage itself last. Of many files each would wait for
 * a commit of the file system, so these are synced all at once.
 */
export async function syncStage(
  { fd, receipt }: StageFolder,
  { files, folders }: StageContent,
  syncFileSystem?: SyncFileSystem,
): Promise<void> {
  if (syncFileSystem !== undefined && files.length > SYNC_EACH) return syncFileSystem(fd);
  const paths = files.filter(({ size }) => size <= AT_ONCE_BYTES).map(({ path }) => path);
  await inParallel([...paths, receipt], (path) => syncPath(inside(fd, path)));
  await inParallel([...folders].reverse(), (path) => syncPath(inside(fd, path)));
  await syncPath(inside(fd, '.'));
}

export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function inParallel<A>(items: readonly A[], work: (item: A) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: SYNC_CONCURRENCY }, worker));
}
