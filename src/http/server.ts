/** The listening socket: plain or TLS, the Host rule before anything else, and a bounded, orderly close. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { errorOf, refuse } from '../contract/refusal.js';
import { DATA_HEADERS } from './guard/headers.js';
import { type HostPolicy, refusedHost } from './guard/host.js';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly hosts: HostPolicy;
  readonly tls?: { readonly certPath: string; readonly keyPath: string };
}

export interface Listening {
  readonly address: string;
  /** Stops accepting, lets running requests end for at most `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 20_000, requestTimeout: 120_000, keepAliveTimeout: 10_000 };

/** Rejects when the address cannot be bound or the certificate cannot be read. */
export async function listen(app: Hono, options: ListenOptions): Promise<Listening> {
  const serve = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    const reason = refusedHost(request, options.hosts);
    if (reason === undefined) return void serve(request, response);
    const { status, body } = errorOf(refuse('wrong_host', `This request was refused: ${reason}.`));
    response.writeHead(status, { ...DATA_HEADERS, 'Content-Type': 'application/json', Connection: 'close' });
    response.end(JSON.stringify(body));
  };
  // Node itself would answer 400 to a missing Host; the rule above answers it like any other wrong host.
  const server: Server = options.tls
    ? createTlsServer({ ...LIMITS, requireHostHeader: false, ...readTls(options.tls) }, handler)
    : createServer({ ...LIMITS, requireHostHeader: false }, handler);
  server.maxConnections = 1_024;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve());
  });
  return { address: addressOf(server, options.tls !== undefined), close: (graceMs) => close(server, graceMs) };
}

function readTls({ certPath, keyPath }: { certPath: string; keyPath: string }) {
  return { cert: readFileSync(certPath), key: readFileSync(keyPath), minVersion: 'TLSv1.2' as const };
}

function addressOf(server: Server, tls: boolean): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
