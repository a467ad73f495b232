/** Writes the entries of an archive into a private stage folder, one call after the other (06:166-172; wire, "Packages"). */
import { createHash } from 'node:crypto';
import { closeSync, fchmodSync, mkdirSync, openSync } from 'node:fs';
import type { PackageReceipt } from '../commands/ports.js';
import { inside } from './beneath.js';
import { LargeFile } from './large-file.js';
import { ArchiveProblem } from './tar-header.js';
import type { TarEvent, TarHead } from './tar-parser.js';
import { writeAll } from './write-all.js';

export type PackageFile = PackageReceipt['files'][number];

export const RECEIPT = 'receipt.json';
/** Files up to this size are written at once when they are whole; a larger one is written, and synced, while it arrives. */
export const AT_ONCE_BYTES = 1_048_576;
/** One less than there are threads for it, with the sync of the file that is being written. */
const ENDING = 2;

/** Where a package is unpacked. */
export interface StageFolder {
  /** The open folder; every path is resolved from it. It must stay open until the writer is done or closed. */
  readonly fd: number;
  /** Bounds files and folders, implied ones too. */
  readonly maxPaths: number;
  /** The name of the document that the host writes beside the files of the archive. */
  readonly receipt: string;
}

export interface StageContent {
  /** In the order of the archive. */
  readonly files: readonly PackageFile[];
  /** Parents before children. */
  readonly folders: readonly string[];
}

interface Found {
  readonly kind: 'file' | 'folder' | 'implied';
  /** Which archive of the package named it. */
  readonly layer: number;
}

/** The file that is being written. */
interface Open {
  readonly entry: TarHead;
  readonly hash: ReturnType<typeof createHash>;
  readonly large?: LargeFile;
  content: Buffer;
  filled: number;
}

const NOTHING = Buffer.alloc(0);

export class StageWriter {
  private readonly found = new Map<string, Found>();
  private readonly written: PackageFile[] = [];
  /** 0 for a package that is one archive. */
  private layer = 0;
  private open: Open | undefined;
  private readonly ending = new Set<Promise<void>>();
  private failure: Error | undefined;

  constructor(private readonly stage: StageFolder) {}

  /** What is written from here on belongs to the next layer of an image (06:172-173). */
  nextLayer(): void {
    this.layer += 1;
  }

  /**
   * The memory of the bytes is not looked at later. Throws `ArchiveProblem` for a repeated path, a file where a folder is (or the reverse), or a supplied receipt. A layer may name
   * the folders of earlier layers again, as other tools do, and none of their files; it may remove nothing.
   */
  write(event: TarEvent): void {
    if (event.kind === 'entry') this.begin(event.entry);
    else if (event.kind === 'end') this.end();
    else this.take(event.bytes);
  }

  /** Whether `room` has to be waited for before more is written. */
  get crowded(): boolean {
    return this.ending.size >= ENDING || this.failure !== undefined;
  }

  /** Resolves when at most `most` large files are still on their way to the disk. Throws the error of one that was. */
  async room(most = ENDING - 1): Promise<void> {
    while (this.ending.size > most) await Promise.race(this.ending);
    if (this.failure !== undefined) throw this.failure;
  }

  /** What was written; resolves when every file larger than `AT_ONCE_BYTES` is on the disk. */
  async done(): Promise<StageContent> {
    await this.room(0);
    const folders = [...this.found].filter(([, { kind }]) => kind !== 'file').map(([path]) => path);
    return { files: this.written, folders };
  }

  /** Closes what is open; safe to repeat. */
  async close(): Promise<void> {
    const large = this.open?.large;
    this.open = undefined;
    await Promise.allSettled([...this.ending, large?.close()]);
  }

  private begin(entry: TarHead): void {
    this.claim(entry);
    if (entry.directory) return;
    const open = { entry, hash: createHash('sha256'), filled: 0, content: NOTHING };
    this.open =
      entry.size <= AT_ONCE_BYTES
        ? open
        : { ...open, large: new LargeFile(openSync(inside(this.stage.fd, entry.path), 'wx', 0o600)) };
  }

  private take(bytes: Buffer): void {
    const { open } = this;
    if (open === undefined) return;
    open.hash.update(bytes);
    if (open.large !== undefined) open.large.append(bytes);
    // Most small files come in one piece, which is written at their end, before any other piece.
    else if (bytes.length === open.entry.size) open.content = bytes;
    else {
      if (open.filled === 0) open.content = Buffer.allocUnsafe(open.entry.size);
      bytes.copy(open.content, open.filled);
    }
    open.filled += bytes.length;
  }

  private end(): void {
    if (this.open === undefined) return;
    const { entry, hash, content, large } = this.open;
    this.open = undefined;
    const { path, size, executable } = entry;
    if (large === undefined) writeWhole(inside(this.stage.fd, path), content, modeOf(executable));
    else this.settle(large.end(modeOf(executable)));
    this.written.push({ path, size, sha256: hash.digest('hex'), executable });
  }

  private settle(end: Promise<void>): void {
    const settled = end
      .catch((error: Error) => {
        this.failure ??= error;
      })
      .finally(() => this.ending.delete(settled));
    this.ending.add(settled);
  }

  private claim({ path, directory }: TarHead): void {
    const parts = path.split('/');
    if (parts[0] === this.stage.receipt) throw new ArchiveProblem('it brings a receipt of its own');
    if (this.layer > 0 && parts.some((part) => part.startsWith('.wh.')))
      throw new ArchiveProblem('a layer removes what an earlier one brought');
    for (let length = 1; length < parts.length; length += 1) {
      const parent = parts.slice(0, length).join('/');
      const known = this.found.get(parent);
      if (known?.kind === 'file') throw new ArchiveProblem('it has a file and a folder of one name');
      if (known === undefined) this.makeFolder(parent, 'implied');
    }
    const known = this.found.get(path);
    if (known === undefined && directory) this.makeFolder(path, 'folder');
    else if (known === undefined || this.mayNameAgain(known, directory))
      this.found.set(path, { kind: directory ? 'folder' : 'file', layer: this.layer });
  }

  /** Throws unless it is a folder that only names implied so far, or that an earlier layer brought. */
  private mayNameAgain(known: Found, directory: boolean): true {
    if ((known.kind === 'file') === directory) throw new ArchiveProblem('it has a file and a folder of one name');
    if (directory && (known.kind === 'implied' || known.layer < this.layer)) return true;
    throw new ArchiveProblem(
      known.layer < this.layer ? 'a layer overwrites what an earlier one brought' : 'it has one path twice',
    );
  }

  private makeFolder(path: string, how: 'folder' | 'implied'): void {
    // One entry may imply thirty folders that the reader does not count.
    if (this.found.size >= this.stage.maxPaths) throw new ArchiveProblem('it has too many folders');
    mkdirSync(inside(this.stage.fd, path), { mode: 0o700 });
    this.found.set(path, { kind: how, layer: this.layer });
  }
}

/** Files have their last mode from the start; folders are closed after the rename, since a read-only one cannot be moved. */
const modeOf = (executable: boolean) => (executable ? 0o555 : 0o444);

/** Makes the file `path` of these bytes; throws when it is there. */
export function writeWhole(path: string, bytes: Uint8Array, mode: number): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeAll(fd, bytes);
    // Set on the descriptor: the mode of `open` is cut by the umask.
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
