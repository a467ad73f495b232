/** Serves the first-party library of this build read-only on a free loopback port, so that a first tour needs no network. */
import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { MAX_INDEX_BYTES, ORIGIN } from './index-format.js';

export interface BuiltinLibrary {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** The address of its index, for a source that allows loopback HTTP. */
  readonly url: string;
  /** Ends every connection and frees the port; safe to repeat. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 32;
const IDLE_MS = 10_000;
const INDEX_NAME = 'index.yaml';

/**
 * Serves `index.yaml` of `directory`, with the origin filled in, and the archives that it lists, by exact name; everything else is
 * 404 and every method but GET 405. Left: why this build has no library to serve.
 */
export async function startBuiltinLibrary(directory: string): Promise<Either<string, BuiltinLibrary>> {
  const template = await readFile(join(directory, INDEX_NAME), 'utf8').catch(() => undefined);
  if (template === undefined) return left('this build has no first-party library');
  if (template.length > MAX_INDEX_BYTES) return left('the first-party library of this build is damaged');
  const names = listedFiles(template);
  if (isLeft(names)) return names;
  const server = createServer({ headersTimeout: IDLE_MS, requestTimeout: IDLE_MS, keepAliveTimeout: 1_000 });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const index = Buffer.from(template.replaceAll(ORIGIN, origin));
  const context = { directory, host: new URL(origin).host, index, names: names.right };
  server.on('request', (request, response) => {
    answer(context, request, response).catch(() => response.destroy());
  });
  return right({ origin, url: `${origin}/${INDEX_NAME}`, close: () => stop(server) });
}

/**
 * The archives the index lists, found as text: the build wrote and read the index by the rules of every library, and the
 * YAML library would be most of what a start loads. Left for an index that the build did not write.
 */
function listedFiles(template: string): Either<string, ReadonlySet<string>> {
  const names = [...template.matchAll(/^ {2}artifact: "?\{\{origin\}\}\/([a-z0-9][A-Za-z0-9._-]*\.tar)"?$/gm)].map(
    ([, name = '']) => name,
  );
  const entries = template.match(/^- id: /gm)?.length ?? 0;
  return names.length === entries && (entries > 0 || template.trim() === '[]')
    ? right(new Set(names))
    : left('the first-party library of this build is damaged');
}

interface Context {
  readonly directory: string;
  readonly host: string;
  readonly index: Buffer;
  readonly names: ReadonlySet<string>;
}

async function answer(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const say = (status: number, text: string) => {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
  };
  // A page on another name that points here would otherwise be of the same origin as this server.
  if (request.headers.host !== context.host) return say(421, 'This server has another name.');
  if (request.method !== 'GET') {
    response.setHeader('allow', 'GET');
    return say(405, 'This server only answers GET.');
  }
  const name = request.url?.slice(1) ?? '';
  if (name === INDEX_NAME) {
    const headers = { 'content-type': 'application/yaml', 'content-length': context.index.length };
    response.writeHead(200, headers).end(context.index);
    return;
  }
  // Only a name the index lists is ever looked for on disk, so no path can lead out of the folder.
  const file = context.names.has(name) ? await openListed(join(context.directory, name)) : undefined;
  if (file === undefined) return say(404, 'This library does not list that.');
  try {
    const { size } = await file.stat();
    response.writeHead(200, { 'content-type': 'application/x-tar', 'content-length': size });
    await pipeline(file.createReadStream({ autoClose: false, start: 0, end: Math.max(size - 1, 0) }), response);
  } finally {
    await file.close();
  }
}

async function openListed(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
