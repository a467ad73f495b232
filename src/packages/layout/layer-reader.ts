/** Reads one layer of a layout: its digest, its compression, and the strict rules of a package archive (15:38-42). */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ArchiveProblem } from '../tar-header.js';
import { readTar, type TarEntry } from '../tar-reader.js';
import { LayoutProblem, streamBlob } from './blobs.js';
import type { Blob } from './formats.js';

/** What is left of the limits of one package; every layer takes its part. */
export interface LayerBudget {
  expandedBytes: number;
  entries: number;
}

export class LayerReader {
  private readonly hash = createHash('sha256');

  constructor(
    private readonly layout: string,
    private readonly blob: Blob,
    private readonly what: string,
    private readonly budget: LayerBudget,
  ) {}

  /** Files only, in their order. Throws `LayoutProblem`; what came before is not to be believed then. */
  async *entries(): AsyncGenerator<TarEntry> {
    const source = Readable.from(streamBlob(this.layout, this.blob, this.what));
    const gunzip = createGunzip();
    // Its failure reaches the reader through the stream itself.
    pipeline(source, gunzip).catch(() => undefined);
    try {
      for await (const entry of readTar(this.expanded(gunzip), this.budget.entries)) {
        this.budget.entries -= 1;
        if (entry.directory) throw new LayoutProblem(`${this.what} holds ${entry.path}, which is not a plain file`);
        yield entry;
      }
    } catch (error) {
      throw this.told(error);
    } finally {
      gunzip.destroy();
      source.destroy();
    }
    if (gunzip.bytesWritten !== this.blob.size) throw new LayoutProblem(`${this.what} has bytes after its end`);
  }

  /** The SHA-256 of the archive before compression; only good when `entries` came to its end. */
  diffId(): string {
    return `sha256:${this.hash.digest('hex')}`;
  }

  private async *expanded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.budget.expandedBytes -= chunk.length;
      if (this.budget.expandedBytes < 0) throw new LayoutProblem('the package is larger than 512 MiB');
      this.hash.update(chunk);
      yield chunk;
    }
  }

  private told(error: unknown): unknown {
    if (error instanceof ArchiveProblem) return new LayoutProblem(`${this.what} is not allowed: ${error.message}`);
    const code = (error as NodeJS.ErrnoException).code;
    return typeof code === 'string' && (code.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE')
      ? new LayoutProblem(`${this.what} is not a gzip stream`)
      : error;
  }
}
