/**
 * Whether the database is still the file it was opened as. LMDB writes on into a file that was deleted or replaced, and
 * reads of one that was cut end the process: neither may be taken for a commit.
 */
import { statSync } from 'node:fs';
import { dataFile } from './layout.js';

export class FileGuard {
  private readonly path: string;
  private readonly inode: number;
  private readonly device: number;
  private size: number;

  constructor(directory: string) {
    this.path = dataFile(directory);
    const { ino, dev, size } = statSync(this.path);
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
}
