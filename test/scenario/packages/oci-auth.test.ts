/** Who gets which credential: real registries with passwords and with tokens, and downloads that are sent elsewhere. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import type { RegistryBinding } from '../../../src/packages/oci/credentials.js';
import { assert, suite } from '../../support/harness.js';
import { image } from '../../support/oci-image.js';
import { ociRelease, stageRelease, withOciStore } from '../../support/oci-store.js';
import { PASSWORD, type RealRegistry, startRegistry, USER } from '../../support/registry.js';
import { startTokenServer } from '../../support/token-server.js';

const test = suite('credentials of registries');
const pushed = image();
const basic = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;

const binding = (origin: string, changes: Partial<RegistryBinding> = {}): RegistryBinding => ({
  origin,
  kind: 'basic',
  secret: { value: `${USER}:${PASSWORD}` },
  allowInsecure: true,
  ...changes,
});

/** The refusal's words, or `installed`. */
const outcome = (registry: RealRegistry, bindings: readonly RegistryBinding[]) =>
  withOciStore({ bindings }, async ({ store, names }) => {
    const staged = await stageRelease(store, ociRelease(`oci://${registry.host}/acme/sample`, pushed.manifest.digest));
    if (isRight(staged)) return 'installed';
    assert.is(staged.left.refusal, 'package_fetch_failed');
    assert.not.match(staged.left.message, new RegExp(`${PASSWORD}|127\\.0\\.0\\.1|http:`));
    assert.equal(names(), []);
    return staged.left.message;
  });

test('a registry with passwords gets the one bound to its exact origin, after it asked [PACKAGE-009]', async () => {
  const registry = await startRegistry({ auth: { kind: 'htpasswd' }, authorization: () => basic });
  try {
    await registry.push('acme/sample', pushed);
    assert.is(await outcome(registry, [binding(registry.origin)]), 'installed');
    assert.match(await outcome(registry, []), /none is set up/);
    assert.match(await outcome(registry, [binding('http://127.0.0.1:1')]), /none is set up/);
    assert.match(await outcome(registry, [binding(registry.origin, { secret: { value: 'a:b' } })]), /did not take/);
    assert.match(await outcome(registry, [binding(registry.origin, { kind: 'bearer' })]), /another kind/);
    assert.match(await outcome(registry, [binding(registry.origin, { allowInsecure: false })]), /plain HTTP/);
    assert.match(await outcome(registry, [binding(registry.origin, { secret: { env: 'NONE' } })]), /could not be read/);
  } finally {
    await registry.close();
  }
});

test('a token is asked for anonymously where no credential is bound, for this repository and pulling alone', async () => {
  const tokens = await startTokenServer();
  const registry = await startRegistry({
    auth: { kind: 'token', ...tokens },
    authorization: () => `Bearer ${tokens.pushToken('acme/sample')}`,
  });
  try {
    await registry.push('acme/sample', pushed);
    assert.is(await outcome(registry, []), 'installed');
    assert.is(tokens.seen.length, 1);
    assert.is(tokens.seen[0]?.url.searchParams.get('scope'), 'repository:acme/sample:pull');
    assert.is(tokens.seen[0]?.url.searchParams.get('service'), tokens.service);
    assert.is(tokens.seen[0]?.authorization, undefined);
  } finally {
    await registry.close();
    await tokens.close();
  }
});

test('a credential goes to a token server only where its operator allowed that origin [PACKAGE-009]', async () => {
  const tokens = await startTokenServer(`${USER}:${PASSWORD}`);
  const registry = await startRegistry({
    auth: { kind: 'token', ...tokens },
    authorization: () => `Bearer ${tokens.pushToken('acme/sample')}`,
  });
  try {
    await registry.push('acme/sample', pushed);
    assert.match(await outcome(registry, [binding(registry.origin)]), /tokenOrigins/);
    assert.is(tokens.seen.length, 0);
    const tokenOrigins = [new URL(tokens.realm).origin];
    assert.is(await outcome(registry, [binding(registry.origin, { tokenOrigins })]), 'installed');
    assert.equal(
      tokens.seen.map(({ authorization }) => authorization),
      [basic],
    );
    const wrong = binding(registry.origin, { tokenOrigins, secret: { value: 'a:b' } });
    assert.match(await outcome(registry, [wrong]), /token for its registry could not be had.*401/);
    assert.match(await outcome(registry, []), /token for its registry could not be had.*401/);
    const ready = binding(registry.origin, { kind: 'bearer', secret: { value: tokens.pushToken('acme/sample') } });
    assert.is(await outcome(registry, [ready]), 'installed');
    assert.is(tokens.seen.length, 3);
  } finally {
    await registry.close();
    await tokens.close();
  }
});

/** Serves the files of a registry's blobs from `root` as a storage host would, and remembers what it was sent. */
async function storageHost(): Promise<{
  server: Server;
  origin: string;
  headers: IncomingHttpHeaders[];
  blobs: Map<string, Buffer>;
}> {
  const headers: IncomingHttpHeaders[] = [];
  const blobs = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    headers.push(request.headers);
    const hex = /([0-9a-f]{64})\/data/.exec(request.url ?? '')?.[1] ?? '';
    const bytes = blobs.get(`sha256:${hex}`);
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers, blobs };
}

test('a download that a real registry sends to a storage host is followed without the credential, and checked [PACKAGE-010]', async () => {
  const storage = await storageHost();
  const registry = await startRegistry({
    auth: { kind: 'htpasswd' },
    redirectTo: storage.origin,
    authorization: () => basic,
  });
  try {
    await registry.push('acme/sample', pushed);
    for (const { digest, bytes } of pushed.blobs) storage.blobs.set(digest, bytes);
    assert.is(await outcome(registry, [binding(registry.origin)]), 'installed');
    assert.is(storage.headers.length, 3);
    for (const seen of storage.headers) assert.is(seen.authorization, undefined);
    const [, layer] = pushed.blobs;
    storage.blobs.set(layer?.digest ?? '', Buffer.alloc(layer?.size ?? 0));
    await withOciStore({ bindings: [binding(registry.origin)] }, async ({ store, names }) => {
      const staged = await stageRelease(
        store,
        ociRelease(`oci://${registry.host}/acme/sample`, pushed.manifest.digest),
      );
      assert.ok(isLeft(staged));
      assert.is(staged.left.refusal, 'package_unverified');
      assert.equal(names(), []);
    });
  } finally {
    await registry.close();
    storage.server.closeAllConnections();
    storage.server.close();
  }
});

test('without the opt-in nothing is sent to a registry in plain, and a name such as localhost is never enough', async () => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url ?? '');
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await withOciStore({ bindings: [binding(`http://${host}`)] }, async ({ store }) => {
      for (const artifact of [`oci://${host}/acme/sample`, `oci://localhost:${host.split(':')[1]}/acme/sample`]) {
        const policy = { allowLoopbackHTTP: artifact.includes('localhost') };
        const staged = await stageRelease(store, ociRelease(artifact, pushed.manifest.digest), { policy });
        assert.ok(isLeft(staged));
        assert.is(staged.left.refusal, 'package_fetch_failed');
      }
    });
    assert.equal(heard, []);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.run();
