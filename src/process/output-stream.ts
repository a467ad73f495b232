/** The bytes of one output, read as they come: authenticated, bounded in size and time, and closed by whoever opened it. */
import { type IncomingMessage, request } from 'node:http';
import { OutputCut, type OutputStream } from '../commands/ports.js';
import type { Deadlines } from './deadlines.js';
import { type Call, type Endpoint, type Exchange, rawHeaders } from './exchange.js';

/** An answer that is no output is read up to here, for its error. */
const ERROR_BYTES = 65_536;

export interface StreamBounds {
  /** From the request to the head of the answer, and from one piece to the next while someone reads. */
  readonly idleMs: number;
  /** From the request to the end; a reader that stands still is cut too, or its place would be held for ever. */
  readonly totalMs: number;
  readonly maxBytes: number;
}

export type Opened = { readonly kind: 'open'; readonly stream: OutputStream } | Exchange;

/** Sends the call over a connection of its own. `closed` runs once, when the last byte was read or the stream is given up. */
export function openStream(
  deadlines: Deadlines,
  to: Endpoint,
  call: Pick<Call, 'path' | 'headers' | 'signals'> & { readonly body: string },
  bounds: StreamBounds,
  closed: () => void,
): Promise<Opened> {
  return new Promise((resolve) => {
    let connected = false;
    let over = false;
    let why: OutputCut | undefined;
    const { path, signals, body } = call;
    const sent = request({
      ...to,
      method: 'POST',
      path,
      headers: rawHeaders(to, { headers: call.headers, body }),
      agent: false,
    });
    const finish = () => {
      if (over) return;
      over = true;
      head();
      total();
      for (const signal of signals) signal.removeEventListener('abort', abort);
      sent.destroy();
      closed();
    };
    const cut = (kind: OutputCut['kind'], message: string) => {
      why ??= new OutputCut(kind, message);
      resolve(connected ? failed(why) : { kind: 'not-sent', message });
      finish();
    };
    const abort = () => cut('cut', 'the call was cut off');
    const head = deadlines.start(bounds.idleMs, () => cut('timeout', 'it did not begin to answer in time'));
    const total = deadlines.start(bounds.totalMs, () => cut('timeout', 'the output was not read to its end in time'));
    sent.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (connected = true));
      else connected = true;
    });
    sent.on('error', () => cut('cut', connected ? 'the connection failed' : 'the connection was refused'));
    sent.on('response', (answer) => {
      head();
      const unfit = unfitHead(answer, bounds.maxBytes);
      if (answer.statusCode !== 200)
        void refusalOf(answer)
          .then(resolve, () => resolve({ kind: 'timeout' }))
          .finally(finish);
      else if (unfit !== undefined) cut('too-large', unfit);
      else
        resolve({
          kind: 'open',
          stream: { bytes: read(answer, deadlines, bounds, cut, () => why, finish), close: finish },
        });
    });
    if (signals.some(({ aborted }) => aborted)) return abort();
    for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
    sent.end(body);
  });
}

const failed = (why: OutputCut): Exchange =>
  why.kind === 'timeout' ? { kind: 'timeout' } : { kind: 'failed', message: why.message, unanswered: false };

function unfitHead({ headers }: IncomingMessage, maxBytes: number): string | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return 'its answer is encoded, which the contract does not allow';
  return Number(headers['content-length'] ?? 0) > maxBytes ? `its output is longer than ${maxBytes} bytes` : undefined;
}

async function refusalOf(answer: IncomingMessage): Promise<Exchange> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > ERROR_BYTES) break;
    chunks.push(chunk);
  }
  const retryAfter = answer.headers['retry-after'];
  return {
    kind: 'answer',
    status: answer.statusCode ?? 0,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    body: Buffer.concat(chunks),
  };
}

type Cut = (kind: OutputCut['kind'], message: string) => void;

async function* read(
  answer: IncomingMessage,
  deadlines: Deadlines,
  bounds: StreamBounds,
  cut: Cut,
  why: () => OutputCut | undefined,
  finish: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  const chunks = (answer as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const late = deadlines.start(bounds.idleMs, () => cut('timeout', 'the output stood still'));
      const next = await chunks.next().finally(late);
      if (next.done === true) break;
      length += next.value.length;
      if (length > bounds.maxBytes) cut('too-large', `its output is longer than ${bounds.maxBytes} bytes`);
      const cutBy = why();
      if (cutBy !== undefined) throw cutBy;
      yield next.value;
    }
    const cutBy = why();
    if (cutBy !== undefined) throw cutBy;
  } catch (error) {
    throw (
      why() ?? (error instanceof OutputCut ? error : new OutputCut('cut', 'the connection ended within the output'))
    );
  } finally {
    finish();
  }
}
