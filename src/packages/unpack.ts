/** Takes the archives of a package in one pass: counted, hashed and unpacked while they arrive, each judged when it is whole. */
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Progress } from '../commands/ports.js';
import { isLeft } from '../contract/fp.js';
import type { Archive, Artifact } from './artifact-fetcher.js';
import { GetError } from './http-get.js';
import { fetchFailed, Refused, unverified } from './refused.js';
import type { StageContent } from './stage-writer.js';
import { ArchiveProblem } from './tar-header.js';
import { UnpackThread } from './unpack-thread.js';
import { tooLarge, Unpacker, type UnpackSpec, type Unpacks } from './unpacker.js';

/** Many small synchronous writes would hold the loop for as long as they take; past this many ms the others get their turn. */
const SLICE_MS = 2;
const PROGRESS_BYTES = 1_048_576;
/** Below this a thread costs more than it saves. A stream that does not say how long it is may be long. */
const THREAD_FROM_BYTES = 4 * 1_048_576;

export interface Unpacking extends UnpackSpec {
  readonly artifact: Artifact;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** What was written, when every archive is the one that was declared. Throws `Refused`, or the error of a file system call. */
export async function unpack(unpacking: Unpacking): Promise<StageContent> {
  const { artifact } = unpacking;
  const counts = new Counts(unpacking);
  const large = (artifact.declaredBytes ?? THREAD_FROM_BYTES) >= THREAD_FROM_BYTES;
  const unpacks = large ? new UnpackThread(unpacking) : new Unpacker(unpacking, () => counts.dueTurn());
  try {
    for await (const archive of artifact.archives) await unpackOne(archive, counts, unpacks);
    counts.finished();
    return await unpacks.done();
  } catch (error) {
    if (error instanceof ArchiveProblem) throw new Refused(unverified(`its archive is not allowed: ${error.message}`));
    if (error instanceof GetError) throw new Refused(fetchFailed(error.failure));
    throw error;
  } finally {
    artifact.close();
    await unpacks.close();
  }
}

async function unpackOne(archive: Archive, counts: Counts, unpacks: Unpacks): Promise<void> {
  const hash = createHash('sha256');
  async function* arriving(): AsyncGenerator<Uint8Array> {
    for await (const chunk of archive.chunks) {
      counts.arrived(chunk.byteLength);
      hash.update(chunk);
      await counts.dueTurn();
      yield chunk;
    }
  }
  await unpacks.unpack(arriving(), archive);
  const verified = archive.verify(hash.digest('hex'));
  if (isLeft(verified)) throw new Refused(verified.left);
}

/** The budget of the bytes that come over the network (06:175-176, 196-199), and the progress of a package. */
class Counts {
  private bytes = 0;
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

  finished(): void {
    this.unpacking.onProgress(progressOf(this.bytes, this.bytes));
  }

  /** Undefined while it is nobody else's turn. Throws when the installation was cancelled. */
  dueTurn(): Promise<void> | undefined {
    if (this.unpacking.signal.aborted) throw new Refused(fetchFailed('it was cancelled'));
    return performance.now() - this.slice < SLICE_MS ? undefined : this.giveTurn();
  }

  private async giveTurn(): Promise<void> {
    await turn();
    this.slice = performance.now();
  }
}

/** A length that proved too small is left out, so that no display passes 100%. */
const progressOf = (bytes: number, declared: number | undefined): Progress =>
  declared === undefined || declared < bytes
    ? { phase: 'downloading', bytes }
    : { phase: 'downloading', bytes, totalBytes: declared };
