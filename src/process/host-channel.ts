/**
 * The way from one incarnation of an add-on to the host: a listener on loopback with a credential of its own, which
 * begins and ends with the process (07:188-207). Who calls is who the listener was made for, never what a call says.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HostAnswer, HostBroker, HostCaller, Ids, Log } from '../commands/ports.js';
import type { Limits } from '../contract/limits.js';
import type { Child } from './child.js';
import { codeOf } from './files.js';
import type { BoundClient } from './runtime-client.js';

export interface HostChannel {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  /** base64url of 32 random bytes; never the credential by which the host calls the add-on. */
  readonly credential: string;
  close(): void;
}

const CREDENTIAL = 'x-addon-host-credential';
const BOUNDS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000, maxHeaderSize: 8_192 };
const MOST_CONNECTIONS = 32;

const refusal = (status: number, code: string, message: string): HostAnswer => ({
  status,
  body: { error: { code, message } },
});
const NOBODY = refusal(401, 'no_live_operation', 'The credential is not that of the running process.');

export async function openHostChannel(
  broker: HostBroker,
  caller: HostCaller,
  { ids, limits }: { readonly ids: Ids; readonly limits: Limits },
): Promise<HostChannel> {
  const credential = Buffer.from(ids.bytes(32)).toString('base64url');
  let open = true;
  const server = createServer(BOUNDS, (request, response) => {
    answer(request)
      .then((told) => send(response, told))
      .catch(() => response.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;

  async function answer(request: IncomingMessage): Promise<HostAnswer> {
    if (!open || !same(request.headers[CREDENTIAL], credential)) return NOBODY;
    if (request.method !== 'POST' || request.url !== '/')
      return refusal(404, 'unknown_op', 'A call is a POST to the endpoint itself.');
    const body = await bodyOf(request, limits.payloadBytes);
    // The process may have ended while its body came in.
    if (!open) return NOBODY;
    return body === undefined
      ? refusal(413, 'too_large', `The call is over ${limits.payloadBytes} bytes.`)
      : broker.call(caller, body);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credential,
    close: () => {
      if (!open) return;
      open = false;
      broker.forget(caller.incarnation);
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Compares digests, which are of one length whatever was sent. */
function same(sent: string | string[] | undefined, credential: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return typeof sent === 'string' && timingSafeEqual(digest(sent), digest(credential));
}

/** The whole body, or undefined as soon as it is over the bound. */
async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function send(response: ServerResponse, { status, body }: HostAnswer): void {
  const text = JSON.stringify(body);
  const close = status === 413 ? { Connection: 'close' } : {};
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...close,
  });
  response.end(text);
}

interface ChannelDeps {
  readonly host?: HostBroker;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: { readonly limits: Limits };
}

/** The channel for a process, if its add-on is granted any; it ends with the process, however that ends. */
export async function channelFor(
  { host, ids, settings, log }: ChannelDeps,
  addonId: string,
  client: Pick<BoundClient, 'incarnation' | 'live'>,
  child: Pick<Child, 'exited'>,
): Promise<HostChannel | undefined> {
  if (host?.offers(addonId) !== true) return undefined;
  const { incarnation } = client;
  const caller = { addonId, incarnation, live: (operationId: string) => client.live(operationId) };
  try {
    const channel = await openHostChannel(host, caller, { ids, limits: settings.limits });
    void child.exited.then(() => channel.close());
    return channel;
  } catch (error) {
    // It starts without, as one that is granted nothing: what it asks for fails closed.
    log.error({ addonId, incarnation, reason: codeOf(error) }, 'the host operations of an add-on cannot be served');
    return undefined;
  }
}
