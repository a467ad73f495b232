/** Unpacks the archives of a package into a stage in one pass: counted, hashed and checked while they arrive, each judged when it is whole. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Progress } from '../commands/ports.js';
import { isLeft } from '../contract/fp.js';
import type { Archive, Artifact } from './artifact-fetcher.js';
import { gunzip } from './gunzip.js';
import { GetError } from './http-get.js';
import type { PackageLimits } from './package-limits.js';
import { fetchFailed, Refused, unverified } from './refused.js';
import type { StageWriter } from './stage-writer.js';
import { ArchiveProblem } from './tar-header.js';
import { readTar } from './tar-reader.js';
import { streamHash } from './thread-hash.js';

/** Many small synchronous writes would hold the loop for as long as they take; past this many ms the others get their turn. */
const SLICE_MS = 2;
const PROGRESS_BYTES = 1_048_576;

export interface Unpacking {
  readonly artifact: Artifact;
  readonly writer: StageWriter;
  readonly limits: PackageLimits;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Right when every archive was written and is the one that was declared. Throws `Refused`, or the error of a file system call. */
export async function unpack(unpacking: Unpacking): Promise<void> {
  const { artifact } = unpacking;
  const counts = new Counts(unpacking);
  try {
    for await (const archive of artifact.archives) await unpackOne(archive, counts, unpacking);
    counts.finished();
  } catch (error) {
    if (error instanceof ArchiveProblem) throw new Refused(unverified(`its archive is not allowed: ${error.message}`));
    if (error instanceof GetError) throw new Refused(fetchFailed(error.failure));
    throw error;
  } finally {
    artifact.close();
  }
}

async function unpackOne(archive: Archive, counts: Counts, unpacking: Unpacking): Promise<void> {
  const hash = streamHash(unpacking.artifact.declaredBytes ?? 0);
  async function* arriving(): AsyncGenerator<Uint8Array> {
    for await (const chunk of archive.chunks) {
      counts.arrived(chunk.byteLength);
      await hash.update(chunk);
      await counts.giveTurn();
      yield chunk;
    }
  }
  try {
    await writeEntries(archive, arriving(), counts, unpacking);
    const verified = archive.verify(await hash.digest());
    if (isLeft(verified)) throw new Refused(verified.left);
  } finally {
    hash.close();
  }
}

async function writeEntries(
  archive: Archive,
  arriving: AsyncIterable<Uint8Array>,
  counts: Counts,
  { writer, limits }: Unpacking,
): Promise<void> {
  async function* expanded(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      counts.expanded(chunk.byteLength);
      await counts.giveTurn();
      yield chunk;
    }
  }
  if (archive.layer) writer.nextLayer();
  const content = expanded(archive.compression === 'gzip' ? gunzip(arriving) : arriving);
  for await (const entry of readTar(content, limits.entries, counts.entries)) {
    counts.entries += 1;
    await writer.write(entry);
    await counts.giveTurn();
  }
}

/** The two byte budgets of a package, cumulative over its archives (06:175-176, 196-199), and its progress. */
class Counts {
  entries = 0;
  private bytes = 0;
  private expandedBytes = 0;
  private reported = 0;
  private slice = performance.now();

  constructor(private readonly unpacking: Unpacking) {}

  arrived(bytes: number): void {
    const { limits, onProgress, artifact } = this.unpacking;
    this.bytes += bytes;
    if (this.bytes > limits.downloadBytes) throw new Refused(tooLarge(limits.downloadBytes));
    if (this.bytes - this.reported < PROGRESS_BYTES) return;
    this.reported = this.bytes;
    onProgress(progressOf(this.bytes, artifact.declaredBytes));
  }

  expanded(bytes: number): void {
    const { expandedBytes } = this.unpacking.limits;
    this.expandedBytes += bytes;
    if (this.expandedBytes > expandedBytes) throw new Refused(tooLarge(expandedBytes));
  }

  finished(): void {
    this.unpacking.onProgress(progressOf(this.bytes, this.bytes));
  }

  async giveTurn(): Promise<void> {
    if (this.unpacking.signal.aborted) throw new Refused(fetchFailed('it was cancelled'));
    if (performance.now() - this.slice < SLICE_MS) return;
    await turn();
    this.slice = performance.now();
  }
}

export const tooLarge = (limit: number) => unverified(`it is larger than the ${limit} bytes a package may have`);

/** A length that proved too small is left out, so that no display passes 100%. */
const progressOf = (bytes: number, declared: number | undefined): Progress =>
  declared === undefined || declared < bytes
    ? { phase: 'downloading', bytes }
    : { phase: 'downloading', bytes, totalBytes: declared };
