/**
 * One hostile case: a registry that asks for a credential, and a second host, both on loopback and both remembering what they were
 * sent. A case replaces a part of what they answer; `attempt` installs and says what became of it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PackageReceipt } from '../../../../src/commands/ports.js';
import type { Release, SourcePolicy } from '../../../../src/contract/api.js';
import { isLeft } from '../../../../src/contract/fp.js';
import type { Refusal } from '../../../../src/contract/refusal.js';
import type { RegistryBinding } from '../../../../src/packages/oci/credentials.js';
import type { SignatureCheck } from '../../../../src/packages/oci/oci-fetcher.js';
import type { RegistryTimes } from '../../../../src/packages/oci/registry.js';
import type { PackageLimits } from '../../../../src/packages/package-limits.js';
import { type Blob, type Image, image } from '../../../support/oci-image.js';
import { ociRelease, stageRelease, withOciStore } from '../../../support/oci-store.js';

export const SECRET = 'puller:s3cret-of-the-registry';
const BASIC = `Basic ${Buffer.from(SECRET).toString('base64')}`;

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A function answers by hand. */
  readonly body?: Uint8Array | string | ((response: ServerResponse) => void);
}
export interface Hosts {
  /** `127.0.0.1:PORT` of the registry, and of the host beside it. */
  readonly registry: string;
  readonly other: string;
}
/** By path below `/v2/acme/sample/` for the registry, and from the root for the other host. */
export type Replies = Readonly<Record<string, Reply | ((request: IncomingMessage) => Reply)>>;

export interface Case {
  /** What is wrong. */
  readonly what: string;
  readonly refused: 'package_unverified' | 'package_fetch_failed' | 'install_storage_failed' | 'sdk_incompatible';
  readonly words: RegExp;
  /** The pushed image; the sample unless it says otherwise. */
  readonly image?: Image;
  /** What the library pins, when it is not the image's manifest. */
  readonly pinned?: Blob;
  readonly registry?: (hosts: Hosts, image: Image) => Replies;
  readonly other?: (hosts: Hosts, image: Image) => Replies;
  /** What the registry answers to a request without the credential. */
  readonly challenge?: (hosts: Hosts) => string;
  readonly binding?: Partial<RegistryBinding>;
  readonly release?: Partial<Release>;
  readonly policy?: Partial<SourcePolicy>;
  readonly limits?: Partial<PackageLimits>;
  readonly times?: Partial<RegistryTimes>;
  readonly signatures?: SignatureCheck;
  /** Whether the other host may be sent anything at all. */
  readonly reachesOther?: true;
}

export interface Outcome {
  readonly refusal?: Refusal;
  readonly receipt?: PackageReceipt;
  readonly left: readonly string[];
  /** The path and the `Authorization` of every request. */
  readonly asked: readonly string[];
  readonly otherAsked: readonly string[];
  readonly leaked: readonly string[];
}

const manifestReply = ({ bytes, mediaType }: Blob): Reply => ({ body: bytes, headers: { 'content-type': mediaType } });
export const served = (blobs: readonly Blob[]): Replies =>
  Object.fromEntries(blobs.map(({ digest, bytes }) => [`blobs/${digest}`, { body: bytes }]));
export const named = (manifest: Blob, reference = manifest.digest): Replies => ({
  [`manifests/${reference}`]: manifestReply(manifest),
});

function answer(replies: Replies, path: string, request: IncomingMessage, response: ServerResponse): void {
  const found = replies[path];
  const {
    status = 200,
    headers = {},
    body = '',
  } = typeof found === 'function' ? found(request) : (found ?? { status: 404 });
  response.writeHead(status, headers);
  if (typeof body === 'function') body(response);
  else response.end(body);
}

async function listening(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handle);
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export async function attempt(wrong: Partial<Case>): Promise<Outcome> {
  const pushed = wrong.image ?? image();
  const asked: string[] = [];
  const otherAsked: string[] = [];
  const leaked: string[] = [];
  let hosts: Hosts = { registry: '', other: '' };
  let replies: Replies = {};
  let otherReplies: Replies = {};
  const registry = await listening((request, response) => {
    const path = (request.url ?? '').replace(/^\/v2\/acme\/sample\//, '');
    asked.push(path);
    const { authorization } = request.headers;
    if (authorization !== BASIC && authorization !== 'Bearer good') {
      const challenge = wrong.challenge?.(hosts) ?? 'Basic realm="test"';
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    return answer(replies, path, request, response);
  });
  const other = await listening((request, response) => {
    otherAsked.push(request.url ?? '');
    if (request.headers.authorization !== undefined) leaked.push(request.headers.authorization);
    answer(otherReplies, request.url ?? '', request, response);
  });
  hosts = { registry: registry.host, other: other.host };
  replies = { ...named(pushed.manifest), ...served(pushed.blobs), ...wrong.registry?.(hosts, pushed) };
  otherReplies = wrong.other?.(hosts, pushed) ?? {};
  const origin = `http://${registry.host}`;
  const bindings = [
    { origin, kind: 'basic', secret: { value: SECRET }, allowInsecure: true, ...wrong.binding } as const,
  ];
  const wanted = ociRelease(
    `oci://${registry.host}/acme/sample:1.0.0`,
    (wrong.pinned ?? pushed.manifest).digest,
    wrong.release,
  );
  const { limits, times, signatures } = wrong;
  try {
    const options = {
      bindings,
      ...(limits ? { limits } : {}),
      ...(times ? { times } : {}),
      ...(signatures ? { signatures } : {}),
    };
    return await withOciStore(options, async ({ store, names }) => {
      const staged = await stageRelease(store, wanted, wrong.policy ? { policy: wrong.policy } : {});
      const result = isLeft(staged) ? { refusal: staged.left } : { receipt: staged.right.receipt };
      if (!isLeft(staged)) await store.discard(staged.right);
      return { ...result, left: names(), asked, otherAsked, leaked };
    });
  } finally {
    for (const { server } of [registry, other]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}
