/** The listening socket: plain or TLS, the Host rule before anything else, and a bounded, orderly close. */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { errorOf, refuse } from '../contract/refusal.js';
import { DATA_HEADERS } from './guard/headers.js';
import { type HostPolicy, refusedHost } from './guard/host.js';

/** Certificate chain and key, as PEM. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly hosts: HostPolicy;
  readonly tls?: TlsFiles;
}

export interface Listening {
  readonly address: string;
  /** Stops accepting, lets running requests end for at most `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

const IDLE_CHECK_MS = 50;
const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 20_000, requestTimeout: 120_000, keepAliveTimeout: 10_000 };

const JSON_HEADERS = { ...DATA_HEADERS, 'Content-Type': 'application/json' };
const MALFORMED = errorOf(refuse('invalid_request', 'The request is malformed. Nothing changed.'));

/** A target that makes no URL, which fails before the application sees it. */
const unreadable = () =>
  new Response(JSON.stringify(MALFORMED.body), { status: MALFORMED.status, headers: JSON_HEADERS });

/** What the parser refused gets the common error body too; nothing more is read from that connection. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : MALFORMED.status;
  const body = JSON.stringify(MALFORMED.body);
  const headers = { ...JSON_HEADERS, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () =>
    socket.destroy(),
  );
}

/** Rejects when the address cannot be bound. */
export async function listen(app: Hono, options: ListenOptions): Promise<Listening> {
  const serve = getRequestListener(app.fetch, { autoCleanupIncoming: false, errorHandler: unreadable });
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    const reason = refusedHost(request, options.hosts);
    if (reason === undefined) return void serve(request, response);
    const { status, body } = errorOf(refuse('wrong_host', `This request was refused: ${reason}.`));
    response.writeHead(status, { ...JSON_HEADERS, Connection: 'close' });
    response.end(JSON.stringify(body));
  };
  // Node itself would answer 400 to a missing Host; the rule above answers it like any other wrong host.
  const server: Server = options.tls
    ? createTlsServer({ ...LIMITS, requireHostHeader: false, ...options.tls, minVersion: 'TLSv1.2' }, handler)
    : createServer({ ...LIMITS, requireHostHeader: false }, handler);
  server.maxConnections = 1_024;
  server.on('clientError', refuseUnparsed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve());
  });
  return { address: addressOf(server, options.tls !== undefined), close: (graceMs) => close(server, graceMs) };
}

function addressOf(server: Server, tls: boolean): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  // A connection whose last request has just ended would else be kept open for the next one.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
