/** The thread that unpacks one package: takes its archives as they are sent, and tells what came of them; started by `unpack-thread.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { Refused } from './refused.js';
import { ArchiveProblem } from './tar-header.js';
import { type Failure, type FromThread, PART_BYTES, type ThreadData, type ToThread } from './unpack-thread.js';
import { Unpacker } from './unpacker.js';

const { memory, ...spec } = workerData as ThreadData;
const unpacker = new Unpacker(spec);
const tell = (message: FromThread) => parentPort?.postMessage(message);

/** Bounded by the sender, which waits until what it sent was taken. */
const queue: ToThread[] = [];
let wake: () => void = () => {};
parentPort?.on('message', (message: ToThread) => {
  queue.push(message);
  wake();
});

async function next(): Promise<ToThread> {
  for (;;) {
    const message = queue.shift();
    if (message !== undefined) return message;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** The pieces of an archive; the memory of each is free again when the next is asked for. */
async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let message = await next(); message.kind === 'bytes'; message = await next()) {
    yield new Uint8Array(memory, message.part * PART_BYTES, message.length);
    tell({ kind: 'free', part: message.part });
  }
}

async function* copies(): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks()) yield Uint8Array.from(chunk);
}

async function run(): Promise<void> {
  for (let message = await next(); message.kind !== 'done'; message = await next()) {
    if (message.kind !== 'archive') continue;
    const { archive } = message;
    // The engine that expands keeps what it was given for a while.
    await unpacker.unpack(archive.compression === 'gzip' ? copies() : chunks(), archive);
    tell({ kind: 'end' });
  }
  tell({ kind: 'done', content: await unpacker.done() });
}

function failureOf(error: unknown): Failure {
  if (error instanceof ArchiveProblem) return { kind: 'archive', message: error.message };
  if (error instanceof Refused) return { kind: 'refused', refusal: error.refusal };
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && typeof syscall === 'string'
    ? { kind: 'system', message, code, syscall }
    : { kind: 'fault', message };
}

run().catch((error: unknown) => tell({ kind: 'failed', failure: failureOf(error) }));
