/**
 * Requests without a body over Node's own HTTP client, in the shape of `fetch`: half a gigabyte through the streams of `fetch` takes
 * the loop several times as long. No redirect is followed, nothing is decoded, no cookie and no credential is added.
 */
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Fetch, FetchAnswer } from './http-get.js';

/** What is read ahead of the reader. */
const AHEAD_BYTES = 1_048_576;
/** How long a connection waits for its next request; many servers close theirs after five seconds. */
const KEPT_MS = 4_000;

const agents = {
  'http:': new PlainAgent({ keepAlive: true, timeout: KEPT_MS }),
  'https:': new SecureAgent({ keepAlive: true, timeout: KEPT_MS }),
};

/** As `fetch` for a GET or a HEAD; whatever else is asked goes to `fetch` itself. */
export const streamingFetch: Fetch = async (url, init) => {
  const { method = 'GET' } = init;
  if (method !== 'GET' && method !== 'HEAD') return globalThis.fetch(url, init);
  return send(url, init, true);
};

function send(url: URL, init: RequestInit, kept: boolean): Promise<FetchAnswer> {
  const { method = 'GET', signal } = init;
  const headers = Object.fromEntries(new Headers(init.headers));
  const options = { method, headers, ...(signal == null ? {} : { signal }) };
  return new Promise((resolve, reject) => {
    const request: ClientRequest =
      url.protocol === 'https:'
        ? secureRequest(url, { ...options, agent: kept && agents['https:'] })
        : plainRequest(url, { ...options, agent: kept && agents['http:'] });
    let answered = false;
    request.on('response', (response) => {
      answered = true;
      try {
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: bodyOf(response) });
      } catch (error) {
        // A header that `Headers` does not take; thrown on, it would end the process.
        request.destroy();
        reject(error);
      }
    });
    request.on('error', (error) => {
      // The server closed a kept connection just when it was used again: nothing was asked yet.
      const again = kept && request.reusedSocket && !answered && signal?.aborted !== true;
      if (again) send(url, init, false).then(resolve, reject);
      else reject(error);
    });
    request.end();
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

/** Each piece has memory of its own. Ending the iteration early closes the connection. */
function bodyOf(response: IncomingMessage): AsyncIterable<Uint8Array> {
  let failure: Error | undefined;
  let over = false;
  let wake: () => void = () => {};
  const settle = (error?: Error) => {
    failure ??= error;
    over = true;
    wake();
  };
  response.on('end', () => settle());
  response.on('error', settle);
  response.on('close', () => settle(over ? undefined : new Error('the connection was cut')));
  return pieces();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const queue: Uint8Array[] = [];
    let ahead = 0;
    response.on('data', (piece: Uint8Array) => {
      queue.push(piece);
      ahead += piece.byteLength;
      if (ahead >= AHEAD_BYTES) response.pause();
      wake();
    });
    try {
      for (;;) {
        for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) {
          ahead -= piece.byteLength;
          if (response.isPaused() && ahead < AHEAD_BYTES / 2) response.resume();
          yield piece;
        }
        if (failure !== undefined) throw failure;
        if (over) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      response.destroy();
    }
  }
}
