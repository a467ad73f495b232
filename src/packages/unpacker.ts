/** Unpacks the archives of a package into a stage, one after the other; the same on the main thread and on one of its own. */
import { gunzip } from './gunzip.js';
import type { PackageLimits } from './package-limits.js';
import { Refused, unverified } from './refused.js';
import { type StageContent, type StageFolder, StageWriter } from './stage-writer.js';
import { TarParser } from './tar-parser.js';

export interface UnpackSpec {
  readonly stage: StageFolder;
  readonly limits: PackageLimits;
}

export interface ArchiveHead {
  readonly compression: 'none' | 'gzip';
  readonly layer: boolean;
}

/** What takes archives: this thread, or another one. */
export interface Unpacks {
  /** Resolves when the whole archive was taken; the memory of a chunk is not looked at once the next is asked for. Throws `ArchiveProblem`, `Refused`, or the error of a file system call. */
  unpack(chunks: AsyncIterable<Uint8Array>, archive: ArchiveHead): Promise<void>;
  /** What lies in the stage now. */
  done(): Promise<StageContent>;
  /** Resolves when nothing is written any more and nothing is open; safe to repeat. */
  close(): Promise<void>;
}

export class Unpacker implements Unpacks {
  private readonly writer: StageWriter;
  private entries = 0;
  private bytes = 0;

  constructor(
    private readonly spec: UnpackSpec,
    /** Called between two steps, where others may get their turn. */
    private readonly turn?: () => Promise<void> | undefined,
  ) {
    this.writer = new StageWriter(spec.stage);
  }

  async unpack(chunks: AsyncIterable<Uint8Array>, { compression, layer }: ArchiveHead): Promise<void> {
    if (layer) this.writer.nextLayer();
    const parser = new TarParser(this.spec.limits.entries, this.entries);
    for await (const chunk of compression === 'gzip' ? gunzip(chunks) : chunks) await this.take(chunk, parser);
    parser.end();
    this.entries = parser.entries;
  }

  done(): Promise<StageContent> {
    return this.writer.done();
  }

  close(): Promise<void> {
    return this.writer.close();
  }

  private async take(chunk: Uint8Array, parser: TarParser): Promise<void> {
    // The whole stream after decompression: headers, padding and what stands behind the end count too (06:175-176, 196-199).
    this.bytes += chunk.byteLength;
    const { expandedBytes } = this.spec.limits;
    if (this.bytes > expandedBytes) throw new Refused(tooLarge(expandedBytes));
    for (const event of parser.push(chunk)) {
      this.writer.write(event);
      if (this.writer.crowded) await this.writer.room();
      const turn = this.turn?.();
      if (turn !== undefined) await turn;
    }
  }
}

export const tooLarge = (limit: number) => unverified(`it is larger than the ${limit} bytes a package may have`);
