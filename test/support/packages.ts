/** What the tests of libraries and packages share: a real clock, a log that remembers, and a small HTTP server. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, Log } from '../../src/commands/ports.js';

export const realClock: Clock = {
  now: () => new Date(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A clock on which time passes only by `advance`. */
export function handClock(): Clock & { advance(ms: number): void } {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const tasks = new Set<{ at: number; run: () => void }>();
  return {
    now: () => new Date(now),
    after: (ms, run) => {
      const task = { at: now + ms, run };
      tasks.add(task);
      return () => tasks.delete(task);
    },
    advance: (ms) => {
      now += ms;
      for (const task of [...tasks].filter(({ at }) => at <= now)) {
        tasks.delete(task);
        task.run();
      }
    },
  };
}

export interface LogLine {
  readonly fields: object;
  readonly message: string;
}

export function memoryLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const add = (fields: object, message: string) => void lines.push({ fields, message });
  return { lines, debug: add, info: add, warn: add, error: add };
}

/** Serves `listener` on a free loopback port while `use` runs. */
export async function withServer<A>(listener: RequestListener, use: (origin: string) => Promise<A>): Promise<A> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
