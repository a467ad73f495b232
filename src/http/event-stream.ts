/**
 * A server-sent event stream that holds one of the person's places: taking the place, waiting, ending with the server,
 * and ending a reader that takes nothing, all in one place (decisions on the design, 10; 09, "Public API").
 */
import type { HttpBindings } from '@hono/node-server';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { refuse } from '../contract/refusal.js';
import { refusalResponse } from './answers.js';
import type { Call } from './call.js';

/** A reader that takes nothing for so long while bytes wait for it is cut. */
const STALLED_MS = 60_000;
/**
 * Every stream ends after this; a page opens its next one by itself. The kernel keeps some megabytes for a reader that
 * is stalled, which heartbeats alone would not fill in weeks.
 */
const LONGEST_MS = 3_600_000;

const TOO_MANY = refuse('busy', 'Too many open streams. Close another tab or download.', { retryAfter: 5 });

export class EventStream {
  private wakeUp: () => void = () => {};
  private over = false;
  private bytes = 0;

  constructor(
    private readonly call: Call,
    private readonly stream: SSEStreamingApi,
  ) {
    stream.onAbort(() => this.end());
  }

  /** True once the reader left or was cut, the server stops, or the stream grew too old: return then. */
  get ended(): boolean {
    return this.over;
  }

  /** What was handed to the reader so far. */
  get sentBytes(): number {
    return this.bytes;
  }

  /** Waits `ms`, or until `wake` or the end of the stream. */
  pause(ms: number): Promise<void> {
    if (this.over) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.call.deps.clock.after(ms, () => this.wakeUp());
      this.wakeUp = () => {
        cancel();
        resolve();
      };
    });
  }

  wake(): void {
    this.wakeUp();
  }

  end(): void {
    this.over = true;
    this.wakeUp();
  }

  comment(text: string): Promise<void> {
    return this.write(`: ${text}\n\n`);
  }

  send(event: string, data: object): Promise<void> {
    return this.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Ends the connection in the middle, so that the reader cannot take the end for a good one. */
  cut(): void {
    this.end();
    this.stream.abort();
    (this.call.context.env as Partial<HttpBindings> | undefined)?.outgoing?.destroy();
  }

  /** Resolves when the reader took the bytes, or was cut because it takes none. */
  private async write(text: string): Promise<void> {
    if (this.over) return;
    this.bytes += Buffer.byteLength(text);
    let cancel = (): void => {};
    const stalled = new Promise<'stalled'>((resolve) => {
      cancel = this.call.deps.clock.after(STALLED_MS, () => resolve('stalled'));
    });
    const how = await Promise.race([this.stream.write(text), stalled]);
    cancel();
    if (how === 'stalled') this.cut();
  }
}

/** Answers with a stream that `body` fills, or with `busy`. The place comes back when `body` returns or throws. */
export function eventStream(call: Call, body: (stream: EventStream) => Promise<void>): Response {
  const { context, deps, caller } = call;
  let stream: EventStream | undefined;
  let stopped = false;
  const release = deps.streams.take(caller.actor.userId, () => {
    stopped = true;
    stream?.end();
  });
  if (release === undefined) return refusalResponse(context, TOO_MANY);
  context.header('X-Accel-Buffering', 'no');
  return streamSSE(context, async (raw) => {
    stream = new EventStream(call, raw);
    if (stopped) stream.end();
    const cancel = deps.clock.after(LONGEST_MS, () => stream?.end());
    try {
      await body(stream);
    } finally {
      cancel();
      release();
    }
  });
}
