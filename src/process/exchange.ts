/** One bounded HTTP exchange with a process on this machine: no redirects, no retries of its own but one safe one. */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type Either, left, right } from '../contract/fp.js';
import type { Deadlines } from './deadlines.js';

export interface Endpoint {
  readonly host: '127.0.0.1';
  readonly port: number;
}

/** Accepts the literal loopback address with a port, and nothing that a resolver or a proxy would have a say in. */
export function parseEndpoint(endpoint: string): Either<string, Endpoint> {
  const port = /^http:\/\/127\.0\.0\.1:([1-9]\d{0,4})$/.exec(endpoint)?.[1];
  return port !== undefined && Number(port) <= 65_535
    ? right({ host: '127.0.0.1', port: Number(port) })
    : left('the endpoint is not a literal loopback address');
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  readonly timeoutMs: number;
  /** The answer's body may not be longer. */
  readonly maxBytes: number;
  /** Each of them cuts the call. */
  readonly signals: readonly AbortSignal[];
  /** Undefined: a connection of its own, closed afterwards. */
  readonly agent?: Agent;
}

export type Exchange =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfter?: string; readonly body: Buffer }
  /** No byte of the request left the owner. */
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'timeout' }
  /** `unanswered`: the connection ended before anything was received. */
  | { readonly kind: 'failed'; readonly message: string; readonly unanswered: boolean };

/** Connections are kept for calls that change nothing, so that a read does not pay for a new one. */
export function keptConnections(limit: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: limit, maxFreeSockets: limit, scheduling: 'lifo' });
}

/** A kept connection may be closed by the other side just as it is used; a call that changes nothing is sent again once. */
export async function exchange(deadlines: Deadlines, to: Endpoint, call: Call): Promise<Exchange> {
  const first = await exchangeOnce(deadlines, to, call);
  if (!first.stale) return first.result;
  const { agent, ...fresh } = call;
  const { result } = await exchangeOnce(deadlines, to, fresh);
  // Nobody listens any more; the first one did leave.
  return result.kind === 'not-sent' ? first.result : result;
}

interface Outcome {
  readonly result: Exchange;
  /** A kept connection that turned out closed. */
  readonly stale: boolean;
}

function exchangeOnce(deadlines: Deadlines, to: Endpoint, call: Call): Promise<Outcome> {
  return new Promise((resolve) => {
    let connected = false;
    let settled = false;
    const sent = request({
      // Spelt out: an object made by spreading costs Node more than the rest of the request together.
      host: to.host,
      port: to.port,
      method: call.method,
      path: call.path,
      headers: rawHeaders(to, call),
      agent: call.agent ?? false,
    });
    const settle = (result: Exchange) => {
      if (settled) return;
      settled = true;
      cancel();
      for (const signal of call.signals) signal.removeEventListener('abort', abort);
      const stale = result.kind === 'failed' && result.unanswered && sent.reusedSocket;
      resolve({ result, stale });
      if (result.kind !== 'answer') sent.destroy();
    };
    const fail = (message: string, unanswered = false) =>
      settle(connected ? { kind: 'failed', message, unanswered } : { kind: 'not-sent', message });
    const abort = () => fail('the call was cut off');
    const cancel = deadlines.start(call.timeoutMs, () =>
      settle(connected ? { kind: 'timeout' } : { kind: 'not-sent', message: 'no connection in time' }),
    );
    watchConnection(sent, () => {
      connected = true;
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      fail(connected ? `the connection failed (${error.code ?? 'unknown error'})` : 'the connection was refused', true),
    );
    sent.on('response', (answer) => collect(answer, call.maxBytes, settle, fail));
    if (call.signals.some(({ aborted }) => aborted)) {
      abort();
      return;
    }
    for (const signal of call.signals) signal.addEventListener('abort', abort, { once: true });
    sent.end(call.body);
  });
}

/** As a flat list, which Node writes as it stands: it neither copies nor checks them one by one. */
export function rawHeaders(to: Endpoint, { headers, body }: Pick<Call, 'headers' | 'body'>): readonly string[] {
  const list = ['Host', `${to.host}:${to.port}`];
  for (const name of Object.keys(headers)) list.push(name, headers[name] as string);
  if (body !== undefined)
    list.push('Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)));
  return list;
}

/** The bytes of a request are written when its connection is there, and never before. */
function watchConnection(sent: ClientRequest, connected: () => void): void {
  sent.on('socket', (socket) => {
    if (socket.connecting) socket.once('connect', connected);
    else connected();
  });
}

function collect(
  answer: IncomingMessage,
  maxBytes: number,
  settle: (result: Exchange) => void,
  fail: (message: string) => void,
): void {
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    fail('its answer is encoded, which the contract does not allow');
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  answer.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) fail(`its answer is longer than ${maxBytes} bytes`);
    else chunks.push(chunk);
  });
  // Node reports an answer that was cut as an error, so its end is the whole of it.
  answer.on('error', () => fail('the connection ended within the answer'));
  answer.on('end', () => {
    const retryAfter = answer.headers['retry-after'];
    settle({
      kind: 'answer',
      status: answer.statusCode ?? 0,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      body: Buffer.concat(chunks),
    });
  });
}
