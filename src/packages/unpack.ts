/** Unpacks one archive into a stage in a single pass: counted, hashed and checked while it arrives, judged only when it is whole. */
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Progress } from '../commands/ports.js';
import type { Artifact } from './artifact-fetcher.js';
import { GetError } from './http-get.js';
import type { PackageLimits } from './package-limits.js';
import { fetchFailed, Refused, unverified } from './refused.js';
import type { StageWriter } from './stage-writer.js';
import { ArchiveProblem } from './tar-header.js';
import { readTar } from './tar-reader.js';

/** Many small synchronous writes would hold the loop for as long as they take; past this many ms the others get their turn. */
const SLICE_MS = 8;
const PROGRESS_BYTES = 1_048_576;

export interface Unpacking {
  readonly artifact: Artifact;
  readonly writer: StageWriter;
  readonly limits: PackageLimits;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Answers the SHA-256 of the whole stream, in hex. Throws `Refused`, or the error of a file system call. */
export async function unpack({ artifact, writer, limits, signal, onProgress }: Unpacking): Promise<string> {
  const hash = createHash('sha256');
  const limit = Math.min(limits.downloadBytes, limits.expandedBytes);
  let slice = performance.now();
  const giveTurn = async () => {
    if (signal.aborted) throw new Refused(fetchFailed('it was cancelled'));
    if (performance.now() - slice < SLICE_MS) return;
    await turn();
    slice = performance.now();
  };
  async function* measured(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let reported = 0;
    for await (const chunk of artifact.chunks) {
      bytes += chunk.byteLength;
      // The archive is not compressed, so its download and its content are the same bytes and the smaller budget holds.
      if (bytes > limit) throw new Refused(unverified(`it is larger than the ${limit} bytes a package may have`));
      hash.update(chunk);
      if (bytes - reported >= PROGRESS_BYTES) {
        reported = bytes;
        onProgress(progressOf(bytes, artifact.declaredBytes));
      }
      await giveTurn();
      yield chunk;
    }
    onProgress(progressOf(bytes, bytes));
  }
  try {
    for await (const entry of readTar(measured(), limits.entries)) {
      await writer.write(entry);
      await giveTurn();
    }
  } catch (error) {
    if (error instanceof ArchiveProblem) throw new Refused(unverified(`its archive is not allowed: ${error.message}`));
    if (error instanceof GetError) throw new Refused(fetchFailed(error.failure));
    throw error;
  } finally {
    artifact.close();
  }
  return hash.digest('hex');
}

/** A length that proved too small is left out, so that no display passes 100%. */
const progressOf = (bytes: number, declared: number | undefined): Progress =>
  declared === undefined || declared < bytes
    ? { phase: 'downloading', bytes }
    : { phase: 'downloading', bytes, totalBytes: declared };
