/** Publishing to a real registry: what lies where, immutable tags, and what is kept (15:122-138,149). */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isLeft } from '../../../src/contract/fp.js';
import { branchChannel } from '../../../src/packages/release/channels.js';
import { promote } from '../../../src/packages/release/promote.js';
import { type PublishedCheck, signedBy } from '../../../src/packages/release/published-check.js';
import { pushLayout } from '../../../src/packages/release/push.js';
import { registryAccess } from '../../../src/packages/release/registry-access.js';
import { readTrustRoot } from '../../../src/packages/signatures/trust-root.js';
import { assert, suite } from '../../support/harness.js';
import { COMMIT, FULL, layoutOf, PLAIN } from '../../support/layouts.js';
import { realClock } from '../../support/packages.js';
import { joined, publishing } from '../../support/publishing.js';
import { needProgram, PASSWORD, type RealRegistry, startRegistry, USER } from '../../support/registry.js';
import { attach } from '../../support/signed-image.js';
import {
  IDENTITY,
  ISSUER,
  type Sigstore,
  signStatement,
  startSigstore,
  statement,
  trustedRootBytes,
} from '../../support/sigstore.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('publishing');
let registry: RealRegistry;
test.before(async () => {
  registry = await startRegistry();
});
test.after(() => registry.close());

const { fresh, access, push, digestAt } = publishing(() => registry);

test('images and index are there by digest, and the immutable tag names the index [DIST-001] [DIST-041]', async () => {
  const repository = fresh();
  const pushed = await push(repository, await joined(FULL), '1.2.3');
  if (typeof pushed === 'string') throw new Error(pushed);
  assert.is(pushed.tag, 'sample-1.2.3');
  assert.is(await digestAt(repository, 'sample-1.2.3'), pushed.digest);
  for (const { digest } of [pushed, ...pushed.images]) assert.is(await digestAt(repository, digest), digest);
  assert.equal(
    pushed.images.map(({ platform }) => platform),
    ['linux/amd64', 'linux/arm64'],
  );
  const again = await push(repository, await joined(FULL), '1.2.3');
  assert.equal(again, pushed);
  const commit = await push(repository, await joined(FULL), `sha-${COMMIT.slice(0, 12)}`);
  assert.is(typeof commit === 'string' ? commit : commit.tag, `sample-sha-${COMMIT.slice(0, 12)}`);
});

test('another tool copies an image from its layout and from the registry, with the digest it has here', async () => {
  needProgram('skopeo', 'skopeo');
  const repository = fresh();
  const pushed = await push(repository, await joined(FULL), '1.2.3');
  if (typeof pushed === 'string') throw new Error(pushed);
  const digest = pushed.images.find(({ platform }) => platform === 'linux/amd64')?.digest;
  const copy = (from: string, to: string, ...flags: string[]) => {
    const file = join(tempDir('digest'), 'digest');
    execFileSync('skopeo', ['copy', '--insecure-policy', '--digestfile', file, ...flags, from, to], { stdio: 'pipe' });
    return readFileSync(file, 'utf8').trim();
  };
  const host = `docker://${registry.host}`;
  const image = await layoutOf(FULL);
  assert.is(copy(`oci:${image}`, `${host}/other/addons:made`, '--dest-tls-verify=false'), digest);
  const back = `oci:${join(tempDir('back'), 'layout')}:back`;
  assert.is(copy(`${host}/${repository}@${digest}`, back, '--src-tls-verify=false'), digest);
});

test('an immutable tag is never overwritten [DIST-068]', async () => {
  const repository = fresh();
  const first = await push(repository, await joined(), '1.2.3');
  if (typeof first === 'string') throw new Error(first);
  const other = { ...PLAIN, 'lib/more.txt': 'other content' };
  const laterCommit = { revision: 'b'.repeat(40) };
  for (const layout of [await joined(other), await joined(other, laterCommit), await joined(PLAIN, laterCommit)])
    assert.match(String(await push(repository, layout, '1.2.3')), /never overwritten|another build of this version/);
  for (const layout of [await joined(other, laterCommit), await joined(PLAIN, laterCommit)])
    assert.match(String(await push(repository, layout, '1.2.3', { adoptExisting: true })), /never overwritten/);
  assert.is(await digestAt(repository, 'sample-1.2.3'), first.digest);
});

test('a rebuild of the same version and commit keeps what is published, once its signature is verified [DIST-069]', async () => {
  const [sigstore, foreign] = await Promise.all([startSigstore(), startSigstore()]);
  try {
    const repository = fresh();
    const first = await push(repository, await joined(), '1.2.3');
    if (typeof first === 'string') throw new Error(first);
    const layout = await joined({ ...PLAIN, 'lib/time.txt': 'built later' });
    const asking = (of: Sigstore, identity = IDENTITY) => {
      const verifier = readTrustRoot(trustedRootBytes(of));
      return signedBy(access(repository), { issuer: ISSUER, identity }, { verifier: async () => verifier });
    };
    const adopt = (check: PublishedCheck) => push(repository, layout, '1.2.3', { adoptExisting: true, check });
    assert.match(
      String(await adopt(asking(sigstore))),
      /not trusted: its library requires a signature, and it has none$/,
    );
    const run = { addon: 'sample', channel: 'latest', name: '1.2.3', event: 'release', ref: 'refs/tags/v1.2.3' };
    const move = (check: PublishedCheck) => promote(access(repository), { ...run, checkout: '/', check });
    assert.ok(isLeft(await move(asking(sigstore))));
    assert.is(await digestAt(repository, 'sample-latest'), undefined);

    const mediaType = 'application/vnd.oci.image.index.v1+json';
    const url = `${registry.origin}/v2/${repository}/manifests/${first.digest}`;
    const bytes = Buffer.from(await (await fetch(url, { headers: { accept: mediaType } })).arrayBuffer());
    const bundle = await signStatement(sigstore, statement(first.digest));
    await attach(registry, repository, { bytes, mediaType, digest: first.digest, size: bytes.length }, [bundle]);
    const kept = { tag: 'sample-1.2.3', digest: first.digest, images: [], adopted: true };
    assert.equal(await adopt(asking(sigstore)), kept);
    for (const check of [asking(foreign), asking(sigstore, `${IDENTITY}x`)]) {
      assert.match(String(await adopt(check)), /not trusted/);
      assert.ok(isLeft(await move(check)));
    }
    assert.is(await digestAt(repository, 'sample-1.2.3'), first.digest);
    const moved = await move(asking(sigstore));
    assert.ok(!isLeft(moved) && moved.right.moved);
  } finally {
    await Promise.all([sigstore.close(), foreign.close()]);
  }
});

test('only the version or the commit of a layout is a tag for it, and only a joined layout is pushed', async () => {
  const repository = fresh();
  const layout = await joined();
  for (const name of ['latest', 'development', '1.2.4', 'sha-000000000000', branchChannel('refs/heads/x'), 'v1.2.3'])
    assert.is(typeof (await push(repository, layout, name)), 'string', name);
  assert.match(String(await push(repository, await layoutOf(PLAIN), '1.2.3')), /join the layouts/);
  const damaged = await joined();
  writeFileSync(join(damaged, 'receipt.json'), '{}');
  assert.match(String(await push(repository, damaged, '1.2.3')), /layout is refused/);
  assert.is(await digestAt(repository, 'sample-1.2.3'), undefined);
});

test('every failure of a registry but 404 is a failure, never a free tag', async () => {
  const layout = await joined();
  const methods: string[] = [];
  let status = 500;
  const server = createServer((request, response) => {
    methods.push(`${request.method}`);
    response.writeHead(status, status === 307 ? { location: 'https://elsewhere.example/' } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (status of [500, 503, 403, 401, 429, 307, 200]) {
      const pushed = await pushLayout(access('x/addons', {}, host), { layout, name: '1.2.3', adoptExisting: true });
      assert.ok(isLeft(pushed), String(status));
    }
    assert.equal([...new Set(methods)], ['GET'], 'nothing is written when the first look fails');
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('an upload that a registry sends to another origin is refused, and the credential stays here', async () => {
  const layout = await joined();
  const seen: string[] = [];
  const other = createServer((request, response) => {
    seen.push(String(request.headers.authorization));
    response.writeHead(201).end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/upload`;
  const server = createServer((request, response) => {
    request.resume();
    if (request.headers.authorization === undefined)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else if (request.method === 'POST') response.writeHead(202, { location: elsewhere }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const environment = { CASTELLAN_REGISTRY_USERNAME: 'robot', CASTELLAN_REGISTRY_PASSWORD: 'secret' };
    const opened = access('x/addons', environment, host);
    const pushed = await pushLayout(opened, { layout, name: '1.2.3', adoptExisting: false });
    assert.ok(isLeft(pushed) && /sent to another address/.test(pushed.left), isLeft(pushed) ? pushed.left : 'pushed');
    assert.equal(seen, []);
  } finally {
    for (const one of [server, other]) {
      one.closeAllConnections();
      await new Promise((resolve) => one.close(resolve));
    }
  }
});

test('a registry that asks for a credential gets that of the environment, and refuses a wrong one', async () => {
  const closed = await startRegistry({ auth: { kind: 'htpasswd' } });
  try {
    const layout = await joined();
    const publish = async (environment: Record<string, string>) => {
      const opened = access('x/addons', environment, closed.host);
      const pushed = await pushLayout(opened, { layout, name: '1.2.3', adoptExisting: false });
      return isLeft(pushed) ? pushed.left : pushed.right.tag;
    };
    assert.match(await publish({}), /credential/);
    const user = { CASTELLAN_REGISTRY_USERNAME: USER };
    assert.match(await publish({ ...user, CASTELLAN_REGISTRY_PASSWORD: 'wrong' }), /did not take the credential/);
    assert.is(await publish({ ...user, CASTELLAN_REGISTRY_PASSWORD: PASSWORD }), 'sample-1.2.3');
    const half = registryAccess({
      repository: `${closed.host}/x`,
      allowLoopbackHTTP: true,
      environment: user,
      clock: realClock,
      signal: new AbortController().signal,
    });
    assert.ok(isLeft(half) && !half.left.includes(USER));
  } finally {
    await closed.close();
  }
});

test.run();
