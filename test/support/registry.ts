/** A real registry (Debian's `docker-registry`) on a free loopback port, and the few requests that push an image to it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Blob, Image } from './oci-image.js';
import { tempDir } from './temp-dir.js';

export const USER = 'puller';
export const PASSWORD = 'test-password';
const HTPASSWD = `${USER}:$2b$04$8GpPXWZi6WHwcBdAR8.kNe7gvK7zVLpfh6I82e.qDllEZsn5abVuG\n`;

/** A part of the machine that a test needs; without it the test fails and says what to install. */
export function needProgram(command: string, debianPackage: string): void {
  if (spawnSync('/bin/sh', ['-c', `command -v ${command}`]).status !== 0)
    throw new Error(`these tests need ${command}; install it with: apt-get install ${debianPackage}`);
}

export interface RealRegistry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  push(repository: string, image: Image, tag?: string): Promise<void>;
  pushManifest(repository: string, manifest: Blob, tag?: string): Promise<void>;
  close(): Promise<void>;
}

export type Auth =
  | { readonly kind: 'htpasswd' }
  | {
      readonly kind: 'token';
      readonly realm: string;
      readonly service: string;
      readonly issuer: string;
      readonly cert: string;
    };

export interface RegistryOptions {
  readonly auth?: Auth;
  /** Where the registry sends the download of a blob. */
  readonly redirectTo?: string;
  /** What a push carries. */
  readonly authorization?: () => string;
}

/** Starts a registry with an empty store; it ends with `close`, or with this process. */
export async function startRegistry(options: RegistryOptions = {}): Promise<RealRegistry> {
  needProgram('docker-registry', 'docker-registry');
  const directory = tempDir('registry');
  const port = await freePort();
  writeFileSync(join(directory, 'htpasswd'), HTPASSWD);
  const { auth, redirectTo } = options;
  const lines = [
    'version: 0.1',
    'log: { level: error, accesslog: { disabled: true } }',
    `storage: { filesystem: { rootdirectory: ${directory}/data } }`,
    `http: { addr: 127.0.0.1:${port}, secret: test }`,
    ...(auth?.kind === 'htpasswd' ? [`auth: { htpasswd: { realm: test, path: ${directory}/htpasswd } }`] : []),
    ...(auth?.kind === 'token'
      ? [
          `auth: { token: { realm: "${auth.realm}", service: ${auth.service}, issuer: ${auth.issuer}, rootcertbundle: ${auth.cert} } }`,
        ]
      : []),
    ...(redirectTo === undefined
      ? []
      : [`middleware: { storage: [ { name: redirect, options: { baseurl: "${redirectTo}" } } ] }`]),
  ];
  writeFileSync(join(directory, 'config.yml'), `${lines.join('\n')}\n`);
  const child = spawn('docker-registry', ['serve', join(directory, 'config.yml')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const origin = `http://127.0.0.1:${port}`;
  const end = endOf(child);
  await answers(child, origin);
  const headers = (): Record<string, string> =>
    options.authorization === undefined ? {} : { authorization: options.authorization() };
  const pushManifest = async (repository: string, { bytes, mediaType, digest }: Blob, tag?: string) => {
    const url = `${origin}/v2/${repository}/manifests/${tag ?? digest}`;
    await ok(fetch(url, { method: 'PUT', body: bytes, headers: { ...headers(), 'content-type': mediaType } }));
  };
  return {
    host: `127.0.0.1:${port}`,
    origin,
    pushManifest,
    push: async (repository, image, tag) => {
      for (const { bytes, digest } of image.blobs) {
        const start = await ok(
          fetch(`${origin}/v2/${repository}/blobs/uploads/`, { method: 'POST', headers: headers() }),
        );
        const at = new URL(start.headers.get('location') ?? '', origin);
        at.searchParams.set('digest', digest);
        await ok(
          fetch(at, {
            method: 'PUT',
            body: bytes,
            headers: { ...headers(), 'content-type': 'application/octet-stream' },
          }),
        );
      }
      await pushManifest(repository, image.manifest, tag);
    },
    close: end,
  };
}

function endOf(child: ChildProcess): () => Promise<void> {
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  return () => {
    process.off('exit', kill);
    kill();
    return ended;
  };
}

async function ok(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  const text = await response.text();
  if (!response.ok) throw new Error(`the registry answered a push with ${response.status}: ${text.slice(0, 500)}`);
  return response;
}

async function answers(child: ChildProcess, origin: string): Promise<void> {
  let words = '';
  child.stderr?.on('data', (chunk) => {
    words += chunk;
  });
  for (let tries = 0; tries < 1000; tries += 1) {
    if (child.exitCode !== null) throw new Error(`docker-registry ended at once: ${words}`);
    const status = await fetch(`${origin}/v2/`).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => undefined,
    );
    if (status === 200 || status === 401) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`docker-registry did not answer: ${words}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
