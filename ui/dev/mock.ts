/** A small server that plays the owner for the page: the built files under the real content policy, and the API from memory. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { ChangeKind } from '../../src/contract/api.js';
import { answer } from './mock-routes.js';
import { fullState, type MockState } from './mock-state.js';

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
}

export interface Mock {
  readonly url: string;
  readonly state: MockState;
  readonly calls: Recorded[];
  readonly streams: () => number;
  emit(kind: ChangeKind): void;
  close(): Promise<void>;
}

const POLICY =
  "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; img-src 'self'; object-src 'none'; form-action 'self'";
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export async function startMock(options: { dist: string; port?: number; state?: MockState }): Promise<Mock> {
  const state = options.state ?? fullState();
  const calls: Recorded[] = [];
  const streams = new Set<ServerResponse>();
  const emit = (kind: ChangeKind) => {
    for (const stream of streams) stream.write(`event: changed\ndata: ${JSON.stringify({ kind })}\n\n`);
  };
  const server = createServer((request, response) => {
    void handle(request, response).catch((error) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://mock');
    if (url.pathname === '/api/events') return openStream(response, streams);
    if (!url.pathname.startsWith('/api/')) return serveFile(options.dist, url.pathname, response);
    const text = await bodyOf(request);
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    calls.push({ method: request.method ?? 'GET', path: url.pathname + url.search, body, headers: request.headers });
    const result = await answer(state, emit, { method: request.method ?? 'GET', url, body, headers: request.headers });
    if (result === 'cut') {
      request.socket.destroy();
      return;
    }
    response.writeHead(result.status, {
      'content-type': result.type ?? 'application/json',
      'cache-control': 'no-store',
      date: new Date(state.now()).toUTCString(),
    });
    response.end(result.text ?? (result.body === undefined ? '' : JSON.stringify(result.body)));
  }
  await new Promise<void>((ready) => server.listen(options.port ?? 0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    calls,
    streams: () => streams.size,
    emit,
    close: () => close(server, streams),
  };
}

function openStream(response: ServerResponse, streams: Set<ServerResponse>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': hello\n\n');
  streams.add(response);
  const beat = setInterval(() => response.write(': beat\n\n'), 5_000);
  response.on('close', () => {
    clearInterval(beat);
    streams.delete(response);
  });
}

function serveFile(dist: string, path: string, response: ServerResponse): void {
  const wanted = join(dist, normalize(path));
  const file = existsSync(wanted) && statSync(wanted).isFile() ? wanted : join(dist, 'index.html');
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
  });
  createReadStream(file).pipe(response);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function close(server: Server, streams: Set<ServerResponse>): Promise<void> {
  for (const stream of streams) stream.end();
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}
