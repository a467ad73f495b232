/** What happens around a download: moving tags, the way back from HTTPS, cancelling, a full disk, and the install after a bad one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Progress } from '../../../src/commands/ports.js';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { fetchTrusting, selfSigned } from '../../support/certificate.js';
import { assert, suite } from '../../support/harness.js';
import { AMD64, gzipLayer, image, index, tarLayer } from '../../support/oci-image.js';
import { ociFetcher, ociRelease, stageRelease, withOciStore } from '../../support/oci-store.js';
import { executable, manifestFile, withStore } from '../../support/package-store.js';
import { withServer } from '../../support/packages.js';
import { file } from '../../support/tar.js';
import { tempDir } from '../../support/temp-dir.js';
import { attempt, named, served } from './hostile/rig.js';

const test = suite('downloads from registries that go wrong');

test('a tag that moves between the look-up and the download changes nothing: what it named first is installed', async () => {
  const [first, second] = [image(), image([gzipLayer(executable('#!/bin/sh\nexit 9\n'), manifestFile())])];
  const tags = [
    index([{ image: first.manifest, platform: AMD64 }]),
    index([{ image: second.manifest, platform: AMD64 }]),
  ];
  let at = 0;
  const outcome = await attempt({
    image: first,
    release: { mutable: true, digest: '' },
    registry: () => ({
      'manifests/1.0.0': () => {
        const now = tags[Math.min(at, 1)];
        at += 1;
        return { body: now?.bytes ?? '', headers: { 'content-type': now?.mediaType ?? '' } };
      },
      ...named(second.manifest),
      ...served(second.blobs),
    }),
  });
  assert.is(outcome.receipt?.digest, first.manifest.digest);
  assert.is(
    outcome.asked.filter((path) => path === 'manifests/1.0.0').length,
    2,
    'the challenge, then the one look-up',
  );
  assert.is(at, 1);
});

test('a pinned release is read by its digest, whatever its tag names by now', async () => {
  const second = image([gzipLayer(executable('#!/bin/sh\nexit 9\n'), manifestFile())]);
  const outcome = await attempt({ registry: () => ({ ...named(second.manifest, '1.0.0'), ...served(second.blobs) }) });
  assert.is(outcome.receipt?.digest, image().manifest.digest);
  assert.is(outcome.asked.includes('manifests/1.0.0'), false);
});

test('a registry that answers a digest with what the tag names now is refused', async () => {
  const second = image([gzipLayer(executable('#!/bin/sh\nexit 9\n'), manifestFile())]);
  const { refusal, left } = await attempt({
    registry: (_hosts, { manifest }) => ({ ...named(second.manifest, manifest.digest), ...served(second.blobs) }),
  });
  assert.is(refusal?.refusal, 'package_unverified');
  assert.equal(left, []);
});

/** A registry over HTTPS without credentials that answers `replies` by path. */
async function overHttps<A>(
  replies: (path: string) => { status?: number; headers?: Record<string, string>; body?: Uint8Array } | undefined,
  use: (host: string, ca: string) => Promise<A>,
): Promise<A> {
  const { key, cert } = selfSigned();
  const server = createHttps({ key, cert }, (request, response) => {
    const found = replies((request.url ?? '').replace('/v2/acme/sample/', ''));
    response.writeHead(found?.status ?? (found === undefined ? 404 : 200), found?.headers).end(found?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`127.0.0.1:${(server.address() as AddressInfo).port}`, cert);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('over HTTPS, and without the opt-in no download and no token goes back to plain HTTP on this machine [PACKAGE-038] [PACKAGE-039]', async () => {
  const pushed = image();
  const heard: string[] = [];
  const plain = (use: (origin: string) => Promise<void>) =>
    withServer((request, response) => {
      heard.push(request.url ?? '');
      const blob = pushed.blobs.find(({ digest }) => request.url === `/${digest}`);
      response.end(blob?.bytes ?? JSON.stringify({ token: 'good' }));
    }, use);
  let mode: 'direct' | 'redirect' | 'token' = 'direct';
  await plain(async (origin) => {
    const replies = (path: string) => {
      if (mode === 'token')
        return { status: 401, headers: { 'www-authenticate': `Bearer realm="${origin}/token",service="s"` } };
      if (path === `manifests/${pushed.manifest.digest}`)
        return { headers: { 'content-type': pushed.manifest.mediaType }, body: pushed.manifest.bytes };
      const blob = pushed.blobs.find(({ digest }) => path === `blobs/${digest}`);
      return mode === 'redirect' && blob !== undefined
        ? { status: 307, headers: { location: `${origin}/${blob.digest}` } }
        : blob && { body: blob.bytes };
    };
    await overHttps(replies, (host, ca) =>
      withOciStore({ fetch: fetchTrusting(ca) }, async ({ store, names }) => {
        const stage = () =>
          stageRelease(store, ociRelease(`oci://${host}/acme/sample`, pushed.manifest.digest), {
            policy: { allowLoopbackHTTP: false },
          });
        const direct = await stage();
        assert.ok(isRight(direct), JSON.stringify(direct));
        await store.discard(direct.right);
        mode = 'redirect';
        const redirected = await stage();
        assert.match(isLeft(redirected) ? redirected.left.message : '', /address that is not allowed/);
        mode = 'token';
        const asked = await stage();
        assert.match(isLeft(asked) ? asked.left.message : '', /no place for tokens/);
        assert.equal(names(), []);
      }),
    );
  });
  assert.equal(heard, []);
});

const noise = Buffer.from(Array.from({ length: 2_500_000 }, (_, at) => (at * 2_654_435_761) >>> 24));
const large = image([tarLayer(executable(), file('a', noise)), gzipLayer(file('b', noise)), gzipLayer(manifestFile())]);

/** Stages `large` from a plain registry without credentials. */
const stageLarge = (ask: { signal?: AbortSignal; onProgress?: (progress: Progress) => void }) =>
  withServer(
    (request, response) => {
      const path = (request.url ?? '').replace('/v2/acme/sample/', '');
      const found = [large.manifest, ...large.blobs].find(({ digest }) => path.endsWith(digest));
      response.writeHead(found ? 200 : 404, { 'content-type': found?.mediaType ?? '' }).end(found?.bytes);
    },
    (origin) =>
      withOciStore({}, async ({ store, names }) => {
        const host = origin.replace('http://', '');
        const staged = await stageRelease(store, ociRelease(`oci://${host}/acme/sample`, large.manifest.digest), ask);
        if (isLeft(staged)) assert.equal(names(), []);
        return isLeft(staged) ? staged.left.message : 'installed';
      }),
  );

test('cancelling at any progress report of any layer leaves nothing [PACKAGE-032]', async () => {
  let reports = 0;
  const count = () => {
    reports += 1;
  };
  assert.is(await stageLarge({ onProgress: count }), 'installed');
  assert.ok(reports >= 5, `${reports} reports`);
  for (let at = 1; at <= reports; at += 1) {
    const stop = new AbortController();
    let seen = 0;
    const onProgress = () => {
      seen += 1;
      if (seen === at) stop.abort();
    };
    assert.match(await stageLarge({ signal: stop.signal, onProgress }), /cancelled/);
  }
});

test('cancelling before the first answer ends the request', async () => {
  const stop = new AbortController();
  const running = withServer(
    () => stop.abort(),
    (origin) =>
      withStore(
        globalThis.fetch,
        async ({ store, names }) => {
          const host = origin.replace('http://', '');
          const wanted = ociRelease(`oci://${host}/acme/sample`, large.manifest.digest);
          const staged = await stageRelease(store, wanted, { signal: stop.signal });
          assert.equal(names(), []);
          return isLeft(staged) ? staged.left.message : 'installed';
        },
        { artifacts: ociFetcher() },
      ),
  );
  assert.match(await running, /cancelled/);
});

/** What staging an image that does not fit answers in a shell that ran `prepare` first. */
function stagedWhere(where: 'loop' | 'thread', prepare: string, shell: readonly string[] = ['/bin/sh']): string {
  const script = `
    const [base, where] = process.argv.slice(1);
    const { stageOf } = await import(base + 'oci-full-disk.js');
    process.stdout.write(await stageOf(where));`;
  const base = new URL('../../support/', import.meta.url).href;
  const run = `${prepare}; exec "$0" --input-type=module -e "$1" "$2" "$3"`;
  const [command = '', ...args] = [...shell, '-c', run, process.execPath, script, base, where];
  return execFileSync(command, args).toString();
}

test('a layer larger than the system allows a file to be is a storage refusal and leaves nothing [PACKAGE-032]', () => {
  for (const where of ['loop', 'thread'] as const)
    assert.match(
      stagedWhere(where, 'ulimit -f 2048'),
      /^install_storage_failed .*larger than this system allows.* \[\]$/,
    );
});

test('a disk that gets full in any layer is a storage refusal and leaves nothing [PACKAGE-032]', () => {
  const disk = tempDir('small-disk');
  const shell = ['unshare', '--user', '--map-root-user', '--mount', '/bin/sh'];
  const mount = `mount -t tmpfs -o size=2m tmpfs ${disk}`;
  const may = spawnSync(shell[0] ?? '', [...shell.slice(1), '-c', mount]).status === 0;
  // Where nothing may be mounted, the strictest thing left to fill is a file.
  const prepare = may ? `${mount} && export TMPDIR=${disk}` : 'ulimit -f 2048';
  const words = may ? /^install_storage_failed .*the disk is full.* \[\]$/ : /^install_storage_failed .* \[\]$/;
  for (const where of ['loop', 'thread'] as const)
    assert.match(stagedWhere(where, prepare, may ? shell : ['/bin/sh']), words);
});

test('after a layer that ended early, the next install of the same image is clean', async () => {
  const pushed = image();
  let tries = 0;
  await withServer(
    (request, response) => {
      const path = (request.url ?? '').replace('/v2/acme/sample/', '');
      const found = [pushed.manifest, ...pushed.blobs].find(({ digest }) => path.endsWith(digest));
      const last = found === pushed.blobs.at(-1);
      if (last) tries += 1;
      response.writeHead(found ? 200 : 404, { 'content-type': found?.mediaType ?? '' });
      if (last && tries === 1) response.write(found?.bytes.subarray(0, 30), () => response.destroy());
      else response.end(found?.bytes);
    },
    (origin) =>
      withOciStore({}, async ({ store, names }) => {
        const wanted = ociRelease(`oci://${origin.replace('http://', '')}/acme/sample`, pushed.manifest.digest);
        const bad = await stageRelease(store, wanted);
        assert.ok(isLeft(bad) && bad.left.refusal === 'package_fetch_failed');
        assert.equal(names(), []);
        const good = await stageRelease(store, wanted);
        assert.ok(isRight(good));
        assert.ok(isRight(await store.publish(good.right)));
        assert.is(names().length, 1);
      }),
  );
});

test.run();
