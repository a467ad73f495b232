/**
 * Whether the database is still the file it was opened as, and a commit stands on the last one. LMDB writes on into a
 * file that was deleted or replaced, reads of one that was cut end the process, and whoever opens the lock file beside
 * the owner can set the count of transactions back: none of it may be taken for a commit.
 */
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { dataFile } from './layout.js';
import { newestOf } from './transactions.js';

export class FileGuard {
  private readonly path: string;
  private readonly fd: number;
  private readonly inode: number;
  private readonly device: number;
  private size: number;

  constructor(directory: string) {
    this.path = dataFile(directory);
    this.fd = openSync(this.path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { ino, dev, size } = fstatSync(this.fd);
    this.inode = ino;
    this.device = dev;
    this.size = size;
  }

  /** Throws when the file is gone, another one, or shorter than it was; the file never shrinks by itself. */
  check(): void {
    const now = statSync(this.path, { throwIfNoEntry: false });
    if (now === undefined) throw new Error('the file of the journal was removed while the server ran');
    if (now.ino !== this.inode || now.dev !== this.device)
      throw new Error('another file stands in the place of the journal since the server started');
    if (now.size < this.size) throw new Error('the file of the journal was cut while the server ran');
    this.size = now.size;
  }

  /** Throws unless the write transaction that was just begun follows the newest one in the file. */
  follows(transaction: number): void {
    const newest = newestOf(this.fd);
    if (BigInt(transaction) !== newest + 1n)
      throw new Error(
        `another process changed the journal or its lock file: transaction ${transaction} would not follow ${newest}`,
      );
  }

  close(): void {
    closeSync(this.fd);
  }
}
