/** What happens to the rest of a body that is refused before it was read to its end, such as one that is too large. */
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';

/** Bytes that are still taken and thrown away; a client that sends more may find its connection closed without an answer. */
const MOST_BYTES = 16 * 1_048_576;
const MOST_MS = 10_000;
/** A client that sends nothing for this long waits for its answer. */
const QUIET_MS = 1_000;

/**
 * Takes in the rest before the answer is sent. A socket that is closed with unread bytes resets the connection, and the
 * client, which is still sending, loses the answer with it.
 */
export const takeRest: MiddlewareHandler = async (context, next) => {
  await next();
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  if (incoming !== undefined && !incoming.readableEnded && hasBody(incoming.headers))
    await discard(incoming as IncomingMessage);
};

const hasBody = (headers: IncomingMessage['headers']) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function discard(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(done, MOST_MS);
    const quiet = setTimeout(done, QUIET_MS);
    function take(chunk: Buffer): void {
      quiet.refresh();
      bytes += chunk.length;
      if (bytes > MOST_BYTES) done();
    }
    function done(): void {
      clearTimeout(timer);
      clearTimeout(quiet);
      incoming.off('data', take).off('end', done).off('close', done).pause();
      resolve();
    }
    incoming.on('data', take).once('end', done).once('close', done);
  });
}
