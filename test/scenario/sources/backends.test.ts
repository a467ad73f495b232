import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Backends, type BackendsParts } from '../../../src/commands/backends/index.js';
import { selectBackend } from '../../../src/commands/library/backends.js';
import type { Library } from '../../../src/commands/library/index.js';
import type { BackendStore } from '../../../src/commands/ports.js';
import type { Release, SourcePolicy } from '../../../src/contract/api.js';
import type { BackendJob } from '../../../src/contract/backends.js';
import { isLeft, left, right } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import type { ArtifactFetcher } from '../../../src/packages/artifact-fetcher.js';
import { createBackendStore } from '../../../src/packages/backend-store.js';
import { createOciFetcher, type SignatureCheck } from '../../../src/packages/oci/oci-fetcher.js';
import { backendLimits } from '../../../src/packages/package-limits.js';
import { castellan } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { silentLog } from '../../support/http.js';
import { ADMIN, codeOf, must, READER } from '../../support/lifecycle-world.js';
import { config, gzipLayer, type Image, image } from '../../support/oci-image.js';
import { realClock } from '../../support/packages.js';
import { type RealRegistry, startRegistry } from '../../support/registry.js';
import { clientOf, dataPath, startServer } from '../../support/server.js';
import { file } from '../../support/tar.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('backends of libraries');

const SIGNED: SourcePolicy = {
  requireSignature: true,
  issuer: 'https://issuer.test',
  identityRegex: '^https://signer\\.test/x$',
  allowLoopbackHTTP: true,
};
const OPEN: SourcePolicy = { requireSignature: false, allowLoopbackHTTP: true };

/** A backend image, which is an image like any other. */
const backendImage = (content = 'one'): Image =>
  image([gzipLayer(file('run.sh', '#!/bin/sh\n', { mode: 0o755 })), gzipLayer(file('lib/data', content))], {
    artifactType: undefined,
  });

interface Bench {
  readonly registry: RealRegistry;
  readonly root: string;
  readonly store: BackendStore;
  readonly requests: string[];
  readonly releases: Release[];
  policy: SourcePolicy;
  entry(content?: string, changes?: Partial<Release>): Promise<Release>;
  backends(parts?: Partial<BackendsParts>): Backends;
}

async function withBench(
  run: (bench: Bench) => Promise<void>,
  options: { readonly maxBytes?: number; readonly signatures?: SignatureCheck } = {},
): Promise<void> {
  const registry = await startRegistry();
  const root = join(tempDir('backends'), 'backends');
  const requests: string[] = [];
  const { maxBytes = 1_000_000, signatures } = options;
  const images: ArtifactFetcher = createOciFetcher({
    clock: realClock,
    downloadBytes: maxBytes,
    fetch: (input, init) => {
      requests.push(new URL(String(input)).pathname);
      return fetch(input, init);
    },
    ...(signatures === undefined ? {} : { signatures }),
  });
  let serial = 0;
  const ids = {
    hex: (n: number) => (++serial).toString(16).padStart(n * 2, '0'),
    bytes: (n: number) => new Uint8Array(n),
  };
  const store = createBackendStore({ root, ids, clock: realClock, images, limits: backendLimits(maxBytes) });
  const bench: Bench = {
    registry,
    root,
    store,
    requests,
    releases: [],
    policy: OPEN,
    entry: async (content = 'one', changes = {}) => {
      const built = backendImage(content);
      await registry.push('lib/backends', built, 'moving');
      const release: Release = {
        sourceId: 'lib',
        kind: 'backend',
        id: 'cpu',
        name: 'cpu',
        version: '1.0.0',
        channel: 'latest',
        artifact: `oci://${registry.host}/lib/backends:moving`,
        digest: built.manifest.digest,
        os: 'linux',
        arch: 'amd64',
        ...changes,
      };
      bench.releases.splice(0, bench.releases.length, release);
      return release;
    },
    backends: (parts = {}) =>
      new Backends({
        library: {
          resolveBackend: async (wanted: Parameters<typeof selectBackend>[1]) => {
            const chosen = selectBackend(bench.releases, wanted);
            return isLeft(chosen) ? chosen : right({ chosen: chosen.right, policy: bench.policy });
          },
          cachedReleases: () => bench.releases,
        } as unknown as Library,
        store,
        ids,
        log: silentLog,
        host: { os: 'linux', arch: 'amd64' },
        capabilities: [],
        requireIntegrity: false,
        admit: async ({ administrator }) => (administrator ? right(undefined) : left(refuse('denied', 'No.'))),
        ...parts,
      }),
  };
  try {
    await run(bench);
  } finally {
    await registry.close();
  }
}

const ASKED = { sourceId: 'lib', name: 'cpu', version: 'latest' };

/** The job when it ended, and the phases it was seen in. */
async function follow(backends: Backends, request = ASKED): Promise<BackendJob> {
  const { id } = must(await backends.install(ADMIN, request));
  for (;;) {
    const job = must(await backends.job(ADMIN, id));
    if (job.processed) return job;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
const names = ({ root }: Bench) => (existsSync(root) ? readdirSync(root).sort() : []);
const metadata = ({ root }: Bench, name = 'cpu') =>
  JSON.parse(readFileSync(join(root, name, 'metadata.json'), 'utf8')) as Record<string, string>;

test('a backend is installed by its digest, never by its tag, with the metadata of its library [BACKENDS-020] [BACKENDS-044] [BACKENDS-047]', () =>
  withBench(async (bench) => {
    const pinned = await bench.entry('one', { alias: 'store' });
    // The tag leads to another image by now.
    await bench.registry.push('lib/backends', backendImage('two'), 'moving');
    const job = await follow(bench.backends());
    assert.equal([job.phase, job.message, job.error, job.processed], ['done', 'completed', undefined, true]);
    assert.equal(names(bench), ['cpu']);
    assert.is(readFileSync(join(bench.root, 'cpu/lib/data'), 'utf8'), 'one');
    assert.is(statSync(join(bench.root, 'cpu/run.sh')).mode & 0o7777, 0o555);
    const { library, digest, version, alias, uri, name } = metadata(bench);
    assert.equal(
      [library, digest, version, alias, uri, name],
      ['lib', pinned.digest, '1.0.0', 'store', pinned.artifact, 'cpu'],
    );
    assert.not.ok(
      bench.requests.some((path) => path.endsWith('/moving')),
      'the tag was asked for',
    );
  }));

test('a mutable entry is resolved once, and the digest that was installed is recorded [BACKENDS-029]', () =>
  withBench(async (bench) => {
    const { digest } = await bench.entry('one', {
      mutable: true,
      digest: '',
      channel: 'development',
      version: '0.0.0',
    });
    assert.is(digest, '');
    assert.is((await follow(bench.backends(), { ...ASKED, version: 'development' })).phase, 'done');
    assert.is(metadata(bench).digest, backendImage('one').manifest.digest);
    assert.is(bench.requests.filter((path) => path.endsWith('/manifests/moving')).length, 1);
  }));

test('the steps come in their order, and verifying only when the library requires a signature [BACKENDS-046]', async () => {
  const phases = async (policy: SourcePolicy) => {
    const seen: string[] = [];
    const signatures = { verify: async () => right({ issuer: 'i', identity: 's' }) };
    await withBench(
      async (bench) => {
        const release = await bench.entry();
        const steps = {
          signal: new AbortController().signal,
          onPhase: (phase: string) => seen.push(phase),
          onProgress: () => {},
        };
        must(await bench.store.install({ release, library: 'lib' }, policy, steps));
      },
      { signatures },
    );
    return seen;
  };
  assert.equal(await phases(OPEN), ['size', 'fetching', 'writing']);
  assert.equal(await phases(SIGNED), ['verifying', 'size', 'fetching', 'writing']);
});

test('a signature that does not hold ends the job before a config or a layer is asked for [BACKENDS-042]', () =>
  withBench(
    async (bench) => {
      await bench.entry();
      bench.policy = SIGNED;
      const job = await follow(bench.backends());
      assert.equal([job.phase, job.message], ['verifying', undefined]);
      assert.match(job.error ?? '', /signed by somebody else/);
      assert.equal(
        bench.requests.filter((path) => path.includes('/blobs/')),
        [],
      );
      assert.equal(names(bench), []);
    },
    { signatures: { verify: async () => left(refuse('package_unverified', 'It is signed by somebody else.')) } },
  ));

test('an image over the limit is refused by its manifest, before a layer is fetched [BACKENDS-043] [BACKENDS-059]', () =>
  withBench(
    async (bench) => {
      await bench.entry();
      const job = await follow(bench.backends());
      assert.is(job.phase, 'size');
      assert.match(job.error ?? '', /larger than the 100 bytes/);
      assert.equal(
        bench.requests.filter((path) => path.includes('/blobs/')),
        [],
      );
      assert.equal(names(bench), []);
    },
    { maxBytes: 100 },
  ));

test('in strict mode a library that requires no signature is refused, in the job and before anything is sent [BACKENDS-041] [BACKENDS-048]', () =>
  withBench(async (bench) => {
    await bench.entry();
    const job = await follow(bench.backends({ requireIntegrity: true }));
    assert.is(job.phase, 'resolving');
    assert.match(job.error ?? '', /only from libraries that require a signature/);
    assert.equal(bench.requests, []);
    const unknown = await follow(bench.backends(), { ...ASKED, name: 'other' });
    assert.equal([unknown.phase, unknown.processed], ['resolving', true]);
    assert.match(unknown.error ?? '', /no such backend/);
  }));

test('a backend from another place stays as it is; from the same library it is installed anew [BACKENDS-049] [BACKENDS-051]', () =>
  withBench(async (bench) => {
    await bench.entry('one');
    mkdirSync(join(bench.root, 'cpu'), { recursive: true, mode: 0o700 });
    writeFileSync(join(bench.root, 'cpu/mine'), 'by hand');
    for (const content of [
      undefined,
      '{"name":"cpu","gallery_url":"https://g.test"}',
      '{"library":"other"}',
      'damaged',
      '[]',
    ]) {
      if (content !== undefined) writeFileSync(join(bench.root, 'cpu/metadata.json'), content);
      const job = await follow(bench.backends());
      assert.match(job.error ?? '', /installed from another place/, content ?? 'by hand');
      assert.is(readFileSync(join(bench.root, 'cpu/mine'), 'utf8'), 'by hand');
    }
    writeFileSync(join(bench.root, 'cpu/metadata.json'), '{"library":"lib","version":"0.9.0","digest":"sha256:old"}');
    assert.is((await follow(bench.backends())).phase, 'done');
    assert.not.ok(existsSync(join(bench.root, 'cpu/mine')));
    await bench.entry('two', { version: '1.1.0' });
    const [update] = must(await bench.backends().updates(ADMIN));
    assert.equal([update?.name, update?.version, update?.library], ['cpu', '1.1.0', 'lib']);
    assert.is((await follow(bench.backends())).phase, 'done');
    assert.equal([metadata(bench).version, names(bench)], ['1.1.0', ['cpu']]);
    assert.equal(must(await bench.backends().updates(ADMIN)), []);
  }));

test('the check for updates reads what was cached, sends nothing and changes nothing [BACKENDS-054]', () =>
  withBench(async (bench) => {
    await bench.entry('one');
    await follow(bench.backends());
    await bench.entry('two');
    const before = [bench.requests.length, JSON.stringify(metadata(bench))];
    assert.is(must(await bench.backends().updates(ADMIN)).length, 1);
    assert.equal([bench.requests.length, JSON.stringify(metadata(bench))], before);
  }));

test('a mirror is tried when the registry has the image not, and only its digest is taken from there [BACKENDS-017] [BACKENDS-016]', () =>
  withBench(async (bench) => {
    const release = await bench.entry('one', {});
    const mirror = release.artifact;
    const gone = `oci://${bench.registry.host}/gone/backends:moving`;
    bench.releases.splice(0, 1, { ...release, artifact: gone, mirrors: [`${gone}-too`, mirror] });
    assert.is((await follow(bench.backends())).phase, 'done');
    assert.is(metadata(bench).uri, mirror);
    await bench.registry.push('evil/backends', backendImage('evil'), 'moving');
    const evil = `oci://${bench.registry.host}/evil/backends:moving`;
    bench.releases.splice(0, 1, { ...release, artifact: gone, mirrors: [evil] });
    assert.match((await follow(bench.backends())).error ?? '', /does not have it/);
    // A registry that fails is no reason to look elsewhere.
    bench.releases.splice(0, 1, { ...release, artifact: 'oci://127.0.0.1:1/a/b:c', mirrors: [mirror] });
    assert.match((await follow(bench.backends())).error ?? '', /connection/);
  }));

test('one backend is installed once at a time, and nobody but an administrator gets near it [BACKENDS-050] [BACKENDS-038]', () =>
  withBench(async (bench) => {
    await bench.entry();
    const backends = bench.backends();
    const first = must(await backends.install(ADMIN, ASKED));
    assert.is(codeOf(await backends.install(ADMIN, ASKED)), 'operation_conflict');
    for (const answer of [
      await backends.install(READER, ASKED),
      await backends.job(READER, first.id),
      await backends.updates(READER),
    ])
      assert.is(codeOf(answer), 'denied');
    await backends.close();
    assert.is(must(await backends.job(ADMIN, first.id)).processed, true);
    assert.is(codeOf(await backends.install(ADMIN, ASKED)), 'unavailable');
    assert.not.ok(
      names(bench).some((name) => name.startsWith('.')),
      'a stage is left',
    );
  }));

test('what a crash left is put in order: a stage goes, and a backend that was moved aside comes back', () =>
  withBench(async (bench) => {
    await bench.entry();
    await follow(bench.backends());
    renameSync(join(bench.root, 'cpu'), join(bench.root, `.replaced-${'0'.repeat(16)}-cpu`));
    mkdirSync(join(bench.root, '.stage-1'), { mode: 0o700 });
    must(await bench.store.sweep());
    assert.equal(names(bench), ['cpu']);
    assert.is(metadata(bench).library, 'lib');
  }));

test('an image that climbs out of its folder, brings metadata of its own or is for another platform leaves nothing', () =>
  withBench(async (bench) => {
    for (const built of [
      image([gzipLayer(file('../out', 'x'))], { artifactType: undefined }),
      image([gzipLayer(file('metadata.json', '{"library":"lib"}'))], { artifactType: undefined }),
      image([gzipLayer(file('a', 'x'))], { artifactType: undefined }, config({ architecture: 'arm64' })),
    ]) {
      await bench.registry.push('lib/backends', built, 'moving');
      await bench.entry();
      bench.releases[0] = { ...(bench.releases[0] as Release), digest: built.manifest.digest };
      const job = await follow(bench.backends());
      assert.match(job.error ?? '', /refused/);
      assert.equal(names(bench), []);
    }
  }));

test('over HTTP an entry of a library is named and nothing else; the answer is a job that can be followed [BACKENDS-039] [BACKENDS-045] [BACKENDS-050]', () =>
  withBench(async (bench) => {
    const { digest, artifact } = await bench.entry();
    const index = `- kind: backend\n  id: cpu\n  name: cpu\n  version: 1.0.0\n  channel: latest\n  artifact: ${artifact}\n  digest: ${digest}\n  os: linux\n  arch: amd64\n`;
    const library = createServer((_request, response) => response.end(index));
    await new Promise<void>((resolve) => library.listen(0, '127.0.0.1', resolve));
    const data = dataPath();
    const server = await startServer(data.path);
    try {
      const client = clientOf(server.address);
      const url = `http://127.0.0.1:${(library.address() as AddressInfo).port}/index.yaml`;
      const add = ['--id', 'lib', '--kind', 'backend', '--url', url, '--allow-loopback-http'];
      assert.is((await castellan(data.path, 'library', 'add', ...add)).code, 0);
      for (const body of [
        {},
        { ...ASKED, version: '' },
        { sourceId: 'lib', name: 'cpu' },
        { ...ASKED, digest },
        { ...ASKED, artifact },
        { ...ASKED, policy: OPEN },
      ])
        assert.is((await client.post('/backends/library/install', body)).status, 400, JSON.stringify(body));
      const begun = await client.post<{ id: string; status_url: string }>('/backends/library/install', ASKED);
      assert.is(begun.status, 200);
      assert.is(begun.body.status_url, `${server.address}/backends/jobs/${begun.body.id}`);
      const job = async () => (await client.get<BackendJob>(`/backends/jobs/${begun.body.id}`)).body;
      let last = await job();
      for (let tries = 0; tries < 400 && !last.processed; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        last = await job();
      }
      assert.equal([last.phase, last.error, last.progress], ['done', undefined, 100]);
      const written = JSON.parse(readFileSync(join(data.path, 'backends/cpu/metadata.json'), 'utf8')) as {
        digest: string;
      };
      assert.is(written.digest, digest);
      assert.equal((await client.get('/backends/library/updates')).body, { updates: [] });
      assert.is((await client.get('/backends/jobs/none')).status, 404);
    } finally {
      await server.stop();
      library.close();
      data.remove();
    }
  }));

test.run();
