/** The SHA-256 of a large stream, on a thread of its own: the loop has the hash of each file to do, and others to answer. */
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';

export interface StreamHash {
  /** Resolves when there is room for more. The bytes may be used for anything else at once. */
  update(bytes: Uint8Array): Promise<void>;
  /** In hex. */
  digest(): Promise<string>;
  /** Ends the thread; safe to repeat. */
  close(): void;
}

/** Below this a thread costs more than it saves. */
const THREAD_FROM_BYTES = 33_554_432;
const BATCH_BYTES = 1_048_576;
/** Made once and used again: a new buffer costs more than what is copied into it. */
const BUFFERS = 8;

/** On a thread when `expectedBytes` is large, else right here. */
export const streamHash = (expectedBytes: number): StreamHash =>
  expectedBytes >= THREAD_FROM_BYTES ? new ThreadHash() : new PlainHash();

class PlainHash implements StreamHash {
  private readonly hash = createHash('sha256');

  async update(bytes: Uint8Array): Promise<void> {
    this.hash.update(bytes);
  }

  async digest(): Promise<string> {
    return this.hash.digest('hex');
  }

  close(): void {}
}

class ThreadHash implements StreamHash {
  // Nothing of the owner's environment or arguments is any business of a hash.
  private readonly worker = new Worker(new URL('./hash-worker.js', import.meta.url), {
    env: {},
    argv: [],
    execArgv: [],
  });
  private readonly free = Array.from({ length: BUFFERS }, () => new Uint8Array(BATCH_BYTES));
  private filled = 0;
  private failure: Error | undefined;
  private answer: string | undefined;
  private wake: () => void = () => {};

  constructor() {
    this.worker.on('message', (message: ArrayBuffer | string) => {
      if (typeof message === 'string') this.answer = message;
      else this.free.push(new Uint8Array(message));
      this.wake();
    });
    const fail = (error: Error) => {
      this.failure ??= error;
      this.wake();
    };
    this.worker.on('error', fail);
    this.worker.on('exit', () => fail(new Error('the thread that hashes a package ended')));
  }

  async update(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      await this.until(() => this.free.length > 0);
      const piece = bytes.subarray(at, at + BATCH_BYTES - this.filled);
      this.free[0]?.set(piece, this.filled);
      this.filled += piece.byteLength;
      at += piece.byteLength;
      if (this.filled === BATCH_BYTES) this.send();
    }
  }

  async digest(): Promise<string> {
    if (this.filled > 0) this.send();
    this.worker.postMessage('digest');
    await this.until(() => this.answer !== undefined);
    return this.answer ?? '';
  }

  close(): void {
    void this.worker.terminate();
  }

  private send(): void {
    const batch = this.free.shift();
    if (batch === undefined) throw new Error('there is nothing to send to the thread that hashes');
    const { buffer } = batch;
    this.worker.postMessage({ buffer, length: this.filled }, [buffer]);
    this.filled = 0;
  }

  private async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.failure !== undefined) throw this.failure;
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
    }
  }
}
