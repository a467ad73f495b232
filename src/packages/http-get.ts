/** One request as the library and package rules want it: no redirects, no content coding, deadlines, and bodies that are never left open. */
import type { Clock } from '../commands/ports.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';

export interface FetchAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null;
}

/** What `fetch` does, as far as it is used here. */
export type Fetch = (url: URL, init: RequestInit) => Promise<FetchAnswer>;

/** Why there is no body, or no more of it; the words never hold an address or anything the server said. */
export type GetFailure = string;

export interface GetOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly authorization?: string;
  /** What is sent as `Accept`. */
  readonly accept?: string;
  /** For the few requests that write; a GET without. */
  readonly send?: Sending;
  /** From the call to the end of the body. */
  readonly totalMs: number;
  /** The longest wait for the answer, and for the next `stallBytes` of its body; time the reader takes does not count. */
  readonly stallMs: number;
  /** How much must come within `stallMs` for the wait to begin anew, so that a drop now and then is not enough. Default 1. */
  readonly stallBytes?: number;
}

export interface Sending {
  readonly method: 'HEAD' | 'POST' | 'PUT';
  readonly contentType?: string;
  readonly body?: Uint8Array | { readonly size: number; readonly stream: ReadableStream<Uint8Array> };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
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

/** Sends one request and answers whatever status came; no redirect is followed. Left when there was no answer at all. */
export async function httpSend(url: URL, options: GetOptions): Promise<Either<GetFailure, Answer>> {
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
  let response: FetchAnswer;
  try {
    response = await options.fetch(url, {
      redirect: 'manual',
      credentials: 'omit',
      signal: stop.signal,
      ...sending(options.send),
      headers: {
        ...sendingHeaders(options.send),
        'accept-encoding': 'identity',
        'user-agent': 'castellan',
        ...(options.accept === undefined ? {} : { accept: options.accept }),
        ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
      },
    });
  } catch {
    close();
    return left(reason);
  }
  const slow = () => end('the server stopped sending, or sends too slowly; try again');
  const wait = (ms: number) => {
    stall();
    stall = options.clock.after(ms, slow);
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const now = () => options.clock.now().getTime();
    let remaining = options.stallMs;
    let came = 0;
    let since = now();
    wait(remaining);
    try {
      for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        stall();
        came += chunk.byteLength;
        const enough = came >= (options.stallBytes ?? 1);
        remaining = enough ? options.stallMs : Math.max(1, remaining - (now() - since));
        if (enough) came = 0;
        yield chunk;
        since = now();
        wait(remaining);
      }
    } catch {
      throw new GetError(reason);
    } finally {
      close();
    }
  }
  const { status, headers } = response;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  const declared = Number.isSafeInteger(length) ? { declaredLength: length } : {};
  return right({ status, headers, chunks: chunks(), close, ...declared });
}

function sending(send: Sending | undefined): RequestInit {
  if (send === undefined) return {};
  const { method, body } = send;
  if (body === undefined) return { method };
  return body instanceof Uint8Array ? { method, body } : { method, body: body.stream, duplex: 'half' };
}

/** A stream is sent with its length: some registries refuse a body in pieces. */
function sendingHeaders({ contentType, body }: Partial<Sending> = {}): Record<string, string> {
  return {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(body === undefined || body instanceof Uint8Array ? {} : { 'content-length': String(body.size) }),
  };
}

/** Sends one GET. Left for anything but a 200 with an uncoded body: every 3xx is a refusal, no redirect is followed (06:46). */
export async function httpGet(url: URL, options: GetOptions): Promise<Either<GetFailure, Answer>> {
  const sent = await httpSend(url, options);
  if (isLeft(sent)) return sent;
  const problem = answerProblem(sent.right);
  if (problem === undefined) return sent;
  sent.right.close();
  return left(problem);
}

/** Why an answer is not a 200 with its content as it is; undefined when it is one. */
export function answerProblem({ status, headers }: Pick<Answer, 'status' | 'headers'>): GetFailure | undefined {
  if (status >= 300 && status < 400) return 'the server answered with a redirect, which is not followed';
  if (status !== 200) return `the server answered with status ${status}`;
  const coding = headers.get('content-encoding');
  return coding === null || coding.toLowerCase() === 'identity' ? undefined : 'the server compressed its answer';
}

/** The whole body of an answer. Left when the transfer fails, or `tooLarge` when it holds more than `maxBytes`. */
export async function readBody(
  answer: Answer,
  maxBytes: number,
  tooLarge: string,
): Promise<Either<GetFailure, Uint8Array>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.chunks) {
      size += chunk.byteLength;
      if (size > maxBytes) return left(tooLarge);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof GetError) return left(error.failure);
    throw error;
  } finally {
    answer.close();
  }
  return right(new Uint8Array(Buffer.concat(chunks, size)));
}
