/** Writes a large file while the rest of it still arrives: the disk works beside the network and the hashes, not after them. */
import { closeSync, fchmodSync, fdatasync, fsync } from 'node:fs';
import { writeAll } from './write-all.js';

/** How much is written between two syncs on the way, so that little is left for the last one. */
const SYNC_BYTES = 16 * 1_048_576;

/** Appends to the open `fd` in order, and closes it whatever happens. Writes at once, syncs beside them. */
export class LargeFile {
  private sinceSync = 0;
  private syncing: Promise<void> | undefined;
  private failure: Error | undefined;

  constructor(private readonly fd: number) {}

  /** Throws the error of a write. The memory of `piece` is not looked at later. */
  append(piece: Uint8Array): void {
    writeAll(this.fd, piece);
    this.sinceSync += piece.byteLength;
    if (this.sinceSync < SYNC_BYTES || this.syncing !== undefined) return;
    this.sinceSync = 0;
    this.syncing = synced(fdatasync, this.fd)
      .catch((error: Error) => {
        this.failure ??= error;
      })
      .finally(() => {
        this.syncing = undefined;
      });
  }

  /** Resolves when all of it is on the disk and the file is closed. Rejects with the error of any sync. */
  async end(mode: number): Promise<void> {
    try {
      // Set on the descriptor: the mode of `open` is cut by the umask.
      fchmodSync(this.fd, mode);
      await this.syncing;
      // A system tells a failed write once: what a sync on the way was told, the last one is not told again.
      if (this.failure !== undefined) throw this.failure;
      await synced(fsync, this.fd);
    } finally {
      await this.close();
    }
  }

  /** Closes the file without its end. */
  async close(): Promise<void> {
    await this.syncing;
    closeSync(this.fd);
  }
}

const synced = (call: typeof fsync, fd: number) =>
  new Promise<void>((resolve, reject) => call(fd, (error) => (error === null ? resolve() : reject(error))));
