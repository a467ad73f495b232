/** Writes a large file while the rest of it still arrives: the disk works beside the network and the hashes, not after them. */
import type { FileHandle } from 'node:fs/promises';

/** One call for each piece of 64 KiB would be eight thousand for a large package. */
const WRITE_BYTES = 1_048_576;
/** How much is written between two syncs on the way, so that little is left for the one that counts. */
const SYNC_BYTES = 16 * 1_048_576;

/** Appends to `file` in order. At most one batch is held while the one before it is written. */
export class LargeFile {
  private batch: Uint8Array[] = [];
  private batchBytes = 0;
  private sinceSync = 0;
  private writing: Promise<void> = Promise.resolve();
  private syncing: Promise<void> | undefined;

  constructor(private readonly file: FileHandle) {}

  /** Resolves when there is room for more. Throws the error of an earlier write. */
  async append(piece: Uint8Array): Promise<void> {
    this.batch.push(piece);
    this.batchBytes += piece.byteLength;
    if (this.batchBytes >= WRITE_BYTES) await this.flush();
  }

  /** Resolves when everything was written and nothing runs any more; what it wrote is for the caller to sync. */
  async end(): Promise<void> {
    try {
      await this.flush();
      await this.writing;
    } finally {
      await Promise.allSettled([this.writing, this.syncing]);
    }
  }

  private async flush(): Promise<void> {
    await this.writing;
    const [batch, bytes] = [this.batch, this.batchBytes];
    [this.batch, this.batchBytes] = [[], 0];
    if (bytes === 0) return;
    this.writing = writeAll(this.file, batch, bytes);
    // The next flush, or the end, meets the same error.
    this.writing.catch(() => undefined);
    this.sinceSync += bytes;
    if (this.sinceSync < SYNC_BYTES || this.syncing !== undefined) return;
    this.sinceSync = 0;
    this.syncing = this.file
      .datasync()
      // The sync at the end is the one whose answer counts, and it reports a page that could not be written as well.
      .catch(() => undefined)
      .finally(() => {
        this.syncing = undefined;
      });
  }
}

async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten === bytes) return;
  // A disk that is nearly full, or a limit, takes a part; the rest gets its own error.
  const rest = Buffer.concat(pieces).subarray(bytesWritten);
  for (let at = 0; at < rest.length; ) at += (await file.write(rest, at)).bytesWritten;
}
