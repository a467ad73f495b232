/**
 * The anchor: position and hash of the head, in a small file outside LMDB. It may lag behind the log by a second and
 * is never ahead of it, so a log that does not reach it was cut, emptied or put back from an older copy.
 */
import { readFile } from 'node:fs/promises';
import { canonicalJson } from '../../contract/canonical-json.js';
import { closed, isRight, t } from '../../contract/fp.js';
import type { Head } from '../journal.js';
import { replaceFile } from './durable-file.js';
import { anchorFile } from './layout.js';

const Anchor = closed('anchor', { position: t.Int, hash: t.string }, { creating: t.literal(true) });

export interface AnchorRecord extends Head {
  /**
   * The journal was never handed out: it is durable before the database is made and goes once that is durable, so
   * nothing can have been acknowledged while it stands. An anchor at position 0 alone proves no such thing, since it lags.
   */
  readonly creating?: true;
}

/** The anchor; undefined when there is none, `damaged` when it cannot be read as one. */
export async function readAnchor(directory: string): Promise<AnchorRecord | 'damaged' | undefined> {
  let text: string;
  try {
    text = await readFile(anchorFile(directory), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const decoded = Anchor.decode(JSON.parse(text));
    if (!isRight(decoded) || !/^[0-9a-f]{64}$/.test(decoded.right.hash)) return 'damaged';
    return decoded.right.creating === true && decoded.right.position > 0 ? 'damaged' : decoded.right;
  } catch {
    return 'damaged';
  }
}

export async function writeAnchor(directory: string, anchor: AnchorRecord): Promise<void> {
  const { position, hash, creating } = anchor;
  const text = canonicalJson({ position, hash, ...(creating === undefined ? {} : { creating }) });
  await replaceFile(anchorFile(directory), [Buffer.from(`${text}\n`)]);
}

/** Keeps the anchor at most `everyMs` behind, without making an append wait for it. */
export class AnchorWriter {
  private wanted: Head | undefined;
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly directory: string,
    private readonly everyMs: number,
    private readonly onWarning: (message: string) => void,
  ) {}

  /** Called with each new durable head. */
  note(head: Head): void {
    this.wanted = head;
    if (this.timer !== undefined || this.writing !== undefined) return;
    const wait = this.writtenAt + this.everyMs - performance.now();
    if (wait <= 0) {
      this.start();
      return;
    }
    this.timer = setTimeout(() => this.start(), wait);
    this.timer.unref();
  }

  private start(): void {
    this.timer = undefined;
    const head = this.wanted;
    if (head === undefined) return;
    this.wanted = undefined;
    this.writtenAt = performance.now();
    this.writing = writeAnchor(this.directory, head)
      .catch((error: unknown) => this.onWarning(`the anchor was not replaced: ${String(error)}`))
      .then(() => {
        this.writing = undefined;
        if (this.wanted !== undefined) this.note(this.wanted);
      });
  }

  /** Writes what is outstanding. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.writing;
    clearTimeout(this.timer);
    if (this.wanted !== undefined) this.start();
    await this.writing;
  }
}
