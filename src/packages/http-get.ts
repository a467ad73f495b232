/** One GET as the library and package rules want it: no redirects, no content coding, deadlines, and bodies that are never left open. */
import type { Clock } from '../commands/ports.js';
import { type Either, left, right } from '../contract/fp.js';

export type Fetch = typeof globalThis.fetch;

/** Why there is no body, or no more of it; the words never hold an address or anything the server said. */
export type GetFailure = string;

export interface GetOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly authorization?: string;
  /** From the call to the end of the body. */
  readonly totalMs: number;
  /** The longest wait for the answer, and between two chunks of its body. */
  readonly stallMs: number;
}

export interface Answer {
  /** What the server says the length is: for a progress display only, never trusted. */
  readonly declaredLength?: number;
  /** Throws a `GetError` when the transfer fails; ending the iteration early closes the connection. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Closes the connection of a body that is not wanted; safe to repeat. */
  close(): void;
}

export class GetError extends Error {
  constructor(readonly failure: GetFailure) {
    super(failure);
  }
}

/** Sends one GET. Left for anything but a 200 with an uncoded body: every 3xx is a refusal, no redirect is followed (06:46). */
export async function httpGet(url: URL, options: GetOptions): Promise<Either<GetFailure, Answer>> {
  const stop = new AbortController();
  let reason = 'the connection failed or was cut; try again';
  const end = (why: string) => {
    reason = why;
    stop.abort();
  };
  const deadline = options.clock.after(options.totalMs, () => end('it took too long; try again later'));
  let stall = options.clock.after(options.stallMs, () => end('the server did not answer in time; try again later'));
  const onAbort = () => end('it was cancelled');
  options.signal.addEventListener('abort', onAbort, { once: true });
  const close = () => {
    deadline();
    stall();
    options.signal.removeEventListener('abort', onAbort);
    stop.abort();
  };
  if (options.signal.aborted) onAbort();
  let response: Response;
  try {
    response = await options.fetch(url, {
      redirect: 'manual',
      credentials: 'omit',
      signal: stop.signal,
      headers: {
        'accept-encoding': 'identity',
        'user-agent': 'castellan',
        ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
      },
    });
  } catch {
    close();
    return left(reason);
  }
  const problem = answerProblem(response);
  const body = response.body;
  if (problem !== undefined || body === null) {
    close();
    await body?.cancel().catch(() => undefined);
    return left(problem ?? 'the server sent no body');
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body as ReadableStream<Uint8Array>) {
        stall();
        yield chunk;
        stall = options.clock.after(options.stallMs, () => end('the server stopped sending; try again'));
      }
    } catch {
      throw new GetError(reason);
    } finally {
      close();
    }
  }
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  return right({ chunks: chunks(), close, ...(Number.isSafeInteger(length) ? { declaredLength: length } : {}) });
}

function answerProblem(response: Response): string | undefined {
  if (response.status >= 300 && response.status < 400)
    return 'the server answered with a redirect, which is not followed';
  if (response.status !== 200) return `the server answered with status ${response.status}`;
  const coding = response.headers.get('content-encoding');
  return coding === null || coding.toLowerCase() === 'identity' ? undefined : 'the server compressed its answer';
}
