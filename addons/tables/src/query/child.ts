/** One query helper process, started on demand under limits of the operating system, and ended when a query overstays. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { HelperReady, QueryAnswer, QueryJob } from './messages.js';

/** Data memory in KiB: V8, two threads and SQLite's own 64 MiB fit; a result that grows without bound does not. */
const DATA_KIB = 786_432;
const LIMITED = `ulimit -c 0; ulimit -d ${DATA_KIB}; exec "$@"`;

/** How long a helper may take to start, which on a busy machine is no fault of the query. */
const START_MS = 10_000;

export type Ended = { readonly ended: 'deadline' | 'died' | 'cancelled' | 'unready' };

export class QueryChild {
  private readonly process: ChildProcess;
  private settle: ((answer: QueryAnswer | Ended) => void) | undefined;
  private reason: Ended['ended'] = 'died';
  private ready = false;
  private onReady: (() => void) | undefined;
  alive = true;
  /** How many queries it was given. */
  uses = 0;

  constructor(script: string) {
    this.process = spawn('/bin/sh', ['-c', LIMITED, 'sh', process.execPath, '--max-old-space-size=192', script], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { LANG: 'C', TZ: 'UTC' },
    });
    const gone = () => {
      this.alive = false;
      this.answer({ ended: this.reason });
    };
    this.process.on('error', gone);
    this.process.on('exit', gone);
    // Writing to a helper that just died fails here and as its exit; the exit is what counts.
    this.process.stdin?.on('error', () => {});
    if (this.process.stdout !== null) {
      createInterface({ input: this.process.stdout }).on('line', (line) => this.hear(line));
    }
    this.idle(true);
  }

  /** A helper that dies while it writes leaves half a line, which is no answer; its exit is. */
  private hear(line: string): void {
    let answer: QueryAnswer | HelperReady;
    try {
      answer = JSON.parse(line) as QueryAnswer | HelperReady;
    } catch {
      return;
    }
    if ('ready' in answer) {
      this.ready = true;
      this.onReady?.();
    } else this.answer(answer);
  }

  private answer(answer: QueryAnswer | Ended): void {
    const settle = this.settle;
    this.settle = undefined;
    settle?.(answer);
  }

  /** An idle helper does not keep the add-on alive. */
  private idle(idle: boolean): void {
    const handles = [this.process, this.process.stdin, this.process.stdout] as { ref(): void; unref(): void }[];
    for (const handle of handles) {
      if (idle) handle.unref();
      else handle.ref();
    }
  }

  /** Runs one query; the helper takes one at a time. The time counts from when it is up; a query past it ends with it. */
  run(job: QueryJob, deadlineMs: number, signal: AbortSignal): Promise<QueryAnswer | Ended> {
    this.uses += 1;
    return new Promise((resolve) => {
      let timer = setTimeout(() => this.end('unready'), START_MS);
      this.onReady = () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.end('deadline'), deadlineMs);
      };
      if (this.ready) this.onReady();
      const cancel = () => this.end('cancelled');
      signal.addEventListener('abort', cancel);
      this.idle(false);
      this.settle = (answer) => {
        clearTimeout(timer);
        this.onReady = undefined;
        signal.removeEventListener('abort', cancel);
        this.idle(true);
        resolve(answer);
      };
      if (!this.alive) this.answer({ ended: 'died' });
      else if (signal.aborted) cancel();
      else this.process.stdin?.write(`${JSON.stringify(job)}\n`);
    });
  }

  end(reason: Ended['ended']): void {
    this.reason = reason;
    this.process.kill('SIGKILL');
  }
}
