/**
 * The query helper: a child process that runs free queries, so that one that never ends, uses up its memory or breaks
 * the driver takes down this process and not the add-on. The query runs on a worker thread, because native code cannot
 * be interrupted from the thread it blocks; this thread watches for the end of the add-on and then ends everything.
 */
import { createInterface } from 'node:readline';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { HelperReady, QueryAnswer, QueryJob } from './messages.js';
import { runQuery } from './run.js';

/** `process.exit` would wait for a thread that is inside SQLite. */
const end = () => process.kill(process.pid, 'SIGKILL');

function watch(): void {
  const worker = new Worker(process.argv[1] ?? '', { stdout: true });
  worker.on('message', (answer: QueryAnswer | HelperReady) => process.stdout.write(`${JSON.stringify(answer)}\n`));
  worker.on('error', end);
  worker.on('exit', end);
  process.stdout.on('error', end);
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => worker.postMessage(line));
  lines.on('close', end);
}

function work(): void {
  parentPort?.on('message', (line: string) => parentPort?.postMessage(runQuery(JSON.parse(line) as QueryJob)));
  parentPort?.postMessage({ ready: true } satisfies HelperReady);
}

if (isMainThread) watch();
else work();
