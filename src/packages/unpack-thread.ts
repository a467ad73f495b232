/**
 * Unpacks the archives of a large package on a thread of its own: the loop has the bytes of the network to hash, and others to
 * answer. The thread writes below the open stage folder and is gone before that folder is closed.
 */
import { Worker } from 'node:worker_threads';
import type { Refusal } from '../contract/refusal.js';
import { Refused } from './refused.js';
import type { StageContent } from './stage-writer.js';
import { ArchiveProblem } from './tar-header.js';
import type { ArchiveHead, UnpackSpec, Unpacks } from './unpacker.js';

/** To the thread: an archive begins; so many bytes of it lie in a part of the shared memory; it ends; or everything was sent. */
export type ToThread =
  | { readonly kind: 'archive'; readonly archive: ArchiveHead }
  | { readonly kind: 'bytes'; readonly part: number; readonly length: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'done' };

/** From the thread: a part of the memory is free again; an archive was taken; what lies in the stage; or why it stopped. */
export type FromThread =
  | { readonly kind: 'free'; readonly part: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'done'; readonly content: StageContent }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface ThreadData extends UnpackSpec {
  readonly memory: SharedArrayBuffer;
}

export type Failure =
  | { readonly kind: 'archive' | 'fault'; readonly message: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'system'; readonly message: string; readonly code: string; readonly syscall: string };

/** One piece of the memory that both threads use again and again: fresh memory for every piece costs more than copying into it. */
export const PART_BYTES = 1_048_576;
/** How far the network may be ahead of the disk. */
const PARTS = 8;

export class UnpackThread implements Unpacks {
  private readonly worker: Worker;
  private ended = 0;
  private content: StageContent | undefined;
  private failure: Error | undefined;
  private readonly memory = new SharedArrayBuffer(PARTS * PART_BYTES);
  private readonly free = Array.from({ length: PARTS }, (_, part) => part);
  /** Bytes in the first free part. */
  private filled = 0;
  private wake: () => void = () => {};

  constructor({ stage, limits }: UnpackSpec) {
    // Nothing of the owner's environment or arguments is any business of an archive.
    const workerData: ThreadData = { stage, limits, memory: this.memory };
    this.worker = new Worker(new URL('./unpack-worker.js', import.meta.url), {
      workerData,
      env: {},
      argv: [],
      execArgv: [],
    });
    const fail = (error: Error) => {
      this.failure ??= error;
      this.wake();
    };
    this.worker.on('message', (message: FromThread) => {
      if (message.kind === 'failed') return fail(errorOf(message.failure));
      if (message.kind === 'free') this.free.push(message.part);
      else if (message.kind === 'end') this.ended += 1;
      else this.content = message.content;
      this.wake();
    });
    this.worker.on('error', fail);
    this.worker.on('exit', () => fail(new Error('the thread that unpacks a package ended')));
  }

  async unpack(chunks: AsyncIterable<Uint8Array>, { compression, layer }: ArchiveHead): Promise<void> {
    const before = this.ended;
    this.post({ kind: 'archive', archive: { compression, layer } });
    for await (const chunk of chunks) await this.take(chunk);
    this.send();
    this.post({ kind: 'end' });
    await this.until(() => this.ended > before);
  }

  async done(): Promise<StageContent> {
    this.post({ kind: 'done' });
    await this.until(() => this.content !== undefined);
    return this.content ?? { files: [], folders: [] };
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private async take(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      if (this.free.length === 0 || this.failure !== undefined) await this.until(() => this.free.length > 0);
      const piece = chunk.subarray(at, at + PART_BYTES - this.filled);
      new Uint8Array(this.memory, (this.free[0] ?? 0) * PART_BYTES + this.filled).set(piece);
      this.filled += piece.byteLength;
      at += piece.byteLength;
      if (this.filled === PART_BYTES) this.send();
    }
  }

  private send(): void {
    if (this.filled === 0) return;
    const part = this.free.shift();
    if (part === undefined) throw new Error('there is nothing to send to the thread that unpacks');
    this.post({ kind: 'bytes', part, length: this.filled });
    this.filled = 0;
  }

  private post(message: ToThread): void {
    this.worker.postMessage(message);
  }

  private async until(holds: () => boolean): Promise<void> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure;
      if (holds()) return;
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
    }
  }
}

function errorOf(failure: Failure): Error {
  if (failure.kind === 'archive') return new ArchiveProblem(failure.message);
  if (failure.kind === 'refused') return new Refused(failure.refusal);
  const error = new Error(failure.message);
  return failure.kind === 'system' ? Object.assign(error, { code: failure.code, syscall: failure.syscall }) : error;
}
