/** Writes the entries of an archive into a private stage folder and makes them durable (06:166-172; wire, "Packages"). */
import { createHash } from 'node:crypto';
import { closeSync, fchmodSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { PackageReceipt } from '../commands/ports.js';
import { inside } from './beneath.js';
import { LargeFile } from './large-file.js';
import { ArchiveProblem } from './tar-header.js';
import type { TarEntry } from './tar-reader.js';

export type PackageFile = PackageReceipt['files'][number];

export const RECEIPT = 'receipt.json';
/** A stream for each small file costs ten times as much as one write, so files up to this size are written at once. */
const AT_ONCE_BYTES = 1_048_576;
/** One less than there are threads for it: other calls to the file system do not wait behind slow syncs. */
const SYNC_CONCURRENCY = 3;
/** Up to so many files are synced one by one. */
const SYNC_EACH = 64;

/** Writes the whole file system that holds the open `fd` to its disk; rejects with a file system error when any of it failed. */
export type SyncFileSystem = (fd: number) => Promise<void>;

interface Found {
  readonly kind: 'file' | 'folder' | 'implied';
  /** Which archive of the package named it. */
  readonly layer: number;
}

export class StageWriter {
  private readonly found = new Map<string, Found>();
  private readonly written: PackageFile[] = [];
  /** 0 for a package that is one archive. */
  private layer = 0;

  /** `stage` is the open stage folder; every path is resolved from it. `maxPaths` bounds files and folders, implied ones too. */
  constructor(
    private readonly stage: number,
    private readonly maxPaths: number,
    private readonly syncFileSystem?: SyncFileSystem,
    /** The name of the document that the host writes beside the files of the archive. */
    private readonly receipt = RECEIPT,
  ) {}

  /** What is written from here on belongs to the next layer of an image (06:172-173). */
  nextLayer(): void {
    this.layer += 1;
  }

  /** In the order of the archive. */
  get files(): readonly PackageFile[] {
    return this.written;
  }

  /** Parents before children. */
  get folders(): readonly string[] {
    return [...this.found].filter(([, { kind }]) => kind !== 'file').map(([path]) => path);
  }

  /**
   * Throws `ArchiveProblem` for a repeated path, a file where a folder is (or the reverse), or a supplied receipt. A layer may name
   * the folders of earlier layers again, as other tools do, and none of their files; it may remove nothing.
   */
  async write(entry: TarEntry): Promise<void> {
    this.claim(entry);
    if (entry.directory) return;
    const sha256 = entry.size <= AT_ONCE_BYTES ? await this.writeAtOnce(entry) : await this.writeInPieces(entry);
    this.written.push({ path: entry.path, size: entry.size, sha256, executable: entry.executable });
  }

  private claim({ path, directory }: TarEntry): void {
    const parts = path.split('/');
    if (parts[0] === this.receipt) throw new ArchiveProblem('it brings a receipt of its own');
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
    if (this.found.size >= this.maxPaths) throw new ArchiveProblem('it has too many folders');
    mkdirSync(inside(this.stage, path), { mode: 0o700 });
    this.found.set(path, { kind: how, layer: this.layer });
  }

  private async writeAtOnce(entry: TarEntry): Promise<string> {
    const pieces: Buffer[] = [];
    for await (const piece of entry.body) pieces.push(piece);
    const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
    writeWhole(inside(this.stage, entry.path), bytes, modeOf(entry.executable));
    return createHash('sha256').update(bytes).digest('hex');
  }

  private async writeInPieces(entry: TarEntry): Promise<string> {
    const hash = createHash('sha256');
    const file = await open(inside(this.stage, entry.path), 'wx', 0o600);
    try {
      const large = new LargeFile(file);
      try {
        for await (const piece of entry.body) {
          hash.update(piece);
          await large.append(piece);
        }
      } finally {
        await large.end();
      }
      await file.chmod(modeOf(entry.executable));
    } finally {
      await file.close();
    }
    return hash.digest('hex');
  }

  /**
   * Syncs every file and then every folder, the stage itself last, so that a rename after it publishes only what is on disk. Of
   * many files each would wait for a commit of the file system, so these are synced all at once.
   */
  async sync(): Promise<void> {
    if (this.syncFileSystem !== undefined && this.written.length > SYNC_EACH) return this.syncFileSystem(this.stage);
    const paths = this.written.map(({ path }) => path);
    await inParallel([...paths, this.receipt], (path) => syncPath(inside(this.stage, path)));
    await inParallel([...this.folders].reverse(), (path) => syncPath(inside(this.stage, path)));
    await syncPath(inside(this.stage, '.'));
  }

  writeReceipt(bytes: Uint8Array): void {
    writeWhole(inside(this.stage, this.receipt), bytes, 0o444);
  }
}

/** Files have their last mode from the start; folders are closed after the rename, since a read-only one cannot be moved. */
const modeOf = (executable: boolean) => (executable ? 0o555 : 0o444);

function writeWhole(path: string, bytes: Uint8Array, mode: number): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    // Set on the descriptor: the mode of `open` is cut by the umask.
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function inParallel<A>(items: readonly A[], work: (item: A) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: SYNC_CONCURRENCY }, worker));
}
