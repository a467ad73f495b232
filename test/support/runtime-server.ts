/** A loopback server that stands for an add-on, and a client bound to it. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { must } from '../../src/contract/fp.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/contract/limits.js';
import type { Registration } from '../../src/contract/wire.js';
import { Deadlines } from '../../src/process/deadlines.js';
import { parseEndpoint } from '../../src/process/exchange.js';
import { BoundClient } from '../../src/process/runtime-client.js';
import { systemClock } from './supervisor-rig.js';

export interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly port: number | undefined;
}

const deadlines = new Deadlines(systemClock, () => performance.now());

export async function runtimeServer() {
  const seen: Seen[] = [];
  let respond: (response: ServerResponse, request: Seen) => void = (response) => response.end('{}');
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { url: request.url ?? '', headers: request.headers, body, port: request.socket.remotePort };
    seen.push(one);
    respond(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registration: Registration = {
    protocol: 1,
    addonId: 'counter',
    version: '1.0.0',
    generation: 1,
    incarnation: 'f'.repeat(32),
    endpoint,
    capabilities: {},
  };
  return {
    seen,
    answer: (how: typeof respond) => {
      respond = how;
    },
    client: (limits: Partial<Limits> = {}) =>
      new BoundClient({
        registration,
        credential: 'secret',
        endpoint: must(parseEndpoint(endpoint), 'endpoint'),
        limits: { ...DEFAULT_LIMITS, ...limits },
        clock: systemClock,
        deadlines,
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type RuntimeServer = Awaited<ReturnType<typeof runtimeServer>>;
