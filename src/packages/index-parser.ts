/** Parses an index in a worker thread: 1 MiB of YAML takes about half a second, far too long for the loop that serves requests. */
import { Worker } from 'node:worker_threads';
import { type Either, left } from '../contract/fp.js';
import { MAX_INDEX_BYTES } from './index-format.js';
import type { IndexOptions, LibraryIndex } from './library-index.js';

const PARSE_DEADLINE_MS = 20_000;
/** A hostile index of many small nodes asks for some 400 MiB; past the limit the worker dies alone. */
const WORKER_HEAP_MIB = 192;

/**
 * As `parseLibraryIndex`, off the main thread. Left also when the work takes over 20 s or over 192 MiB, or when `signal` aborts.
 */
export async function parseIndexInWorker(
  bytes: Uint8Array,
  options: IndexOptions,
  signal: AbortSignal,
): Promise<Either<string, LibraryIndex>> {
  if (bytes.byteLength > MAX_INDEX_BYTES) return left('it is larger than 1 MiB');
  if (signal.aborted) return left('the refresh was cancelled');
  const worker = new Worker(new URL('./index-worker.js', import.meta.url), {
    workerData: { bytes, options },
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MIB },
    // Nothing of the owner's environment or arguments is any business of a parser.
    env: {},
    argv: [],
    execArgv: [],
  });
  let onAbort: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Either<string, LibraryIndex>>((resolve) => {
      worker.once('message', resolve);
      worker.once('error', () => resolve(left('it takes too much memory to read')));
      worker.once('exit', () => resolve(left('reading it ended early')));
      timer = setTimeout(() => resolve(left('it takes too long to read')), PARSE_DEADLINE_MS);
      onAbort = () => resolve(left('the refresh was cancelled'));
      signal.addEventListener('abort', onAbort, { once: true });
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await worker.terminate();
  }
}
