/** Publishing to a real registry: immutable tags, what is kept, and the ways of an alias in a real git history (15:122-181). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isLeft } from '../../../src/contract/fp.js';
import { joinLayouts } from '../../../src/packages/layout/join.js';
import { branchChannel } from '../../../src/packages/release/channels.js';
import { type Promoted, type PromoteInput, promote } from '../../../src/packages/release/promote.js';
import { type PublishedCheck, signedBy } from '../../../src/packages/release/published-check.js';
import { type PushInput, pushLayout } from '../../../src/packages/release/push.js';
import { registryAccess } from '../../../src/packages/release/registry-access.js';
import { readTrustRoot } from '../../../src/packages/signatures/trust-root.js';
import { assert, suite } from '../../support/harness.js';
import { COMMIT, type Files, FULL, layoutOf, PLAIN } from '../../support/layouts.js';
import { realClock } from '../../support/packages.js';
import { PASSWORD, type RealRegistry, startRegistry, USER } from '../../support/registry.js';
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
let count = 0;
test.before(async () => {
  registry = await startRegistry();
});
test.after(() => registry.close());

const fresh = () => `team/addons-${++count}`;
const access = (repository: string, environment: Record<string, string> = {}, host = registry.host) => {
  const opened = registryAccess({
    repository: `${host}/${repository}`,
    allowLoopbackHTTP: true,
    environment,
    clock: realClock,
    signal: new AbortController().signal,
  });
  if (isLeft(opened)) throw new Error(opened.left);
  return opened.right;
};
/** A joined layout of two platforms. */
async function joined(files: Files = PLAIN, changes: { version?: string; revision?: string } = {}): Promise<string> {
  const parts = [await layoutOf(files, changes), await layoutOf(files, { ...changes, platform: 'linux/arm64' })];
  const out = join(tempDir('joined'), 'out');
  const made = await joinLayouts(parts, out);
  if (isLeft(made)) throw new Error(made.left);
  return out;
}
const push = async (repository: string, layout: string, name: string, more: Partial<PushInput> = {}) => {
  const pushed = await pushLayout(access(repository), { layout, name, adoptExisting: false, ...more });
  return isLeft(pushed) ? pushed.left : pushed.right;
};
const digestAt = async (repository: string, reference: string): Promise<string | undefined> => {
  const accept = 'application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json';
  const answer = await fetch(`${registry.origin}/v2/${repository}/manifests/${reference}`, { headers: { accept } });
  await answer.arrayBuffer();
  return answer.ok ? (answer.headers.get('docker-content-digest') ?? undefined) : undefined;
};

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

/** A real repository: commits are made one on the other, and a branch can be started anew. */
function history() {
  const checkout = tempDir('git');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', checkout, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
      .toString()
      .trim();
  git('init', '-q', '-b', 'master');
  return {
    checkout,
    git,
    commit: (text: string) => {
      git('commit', '-q', '--allow-empty', '-m', text);
      return git('rev-parse', 'HEAD');
    },
  };
}
const MASTER = { channel: 'development', event: 'push', ref: 'refs/heads/master' };
const short = (commit: string) => `sha-${commit.slice(0, 12)}`;

/** One repository with a package for each commit of a history. */
async function published(commits: readonly string[]) {
  const repository = fresh();
  const digests = new Map<string, string>();
  for (const revision of commits) {
    const pushed = await push(repository, await joined(PLAIN, { revision }), short(revision));
    if (typeof pushed === 'string') throw new Error(pushed);
    digests.set(revision, pushed.digest);
  }
  const move = async (
    input: Pick<PromoteInput, 'checkout' | 'name'> & Partial<PromoteInput>,
  ): Promise<Promoted | string> => {
    const done = await promote(access(repository), { addon: 'sample', ...MASTER, ...input });
    return isLeft(done) ? done.left : done.right;
  };
  const at = (channel: string) => digestAt(repository, `sample-${channel}`);
  /** As an earlier run left it: a tag that names the package of a commit. */
  const put = async (channel: string, revision: string) => {
    const accept = 'application/vnd.oci.image.index.v1+json';
    const url = `${registry.origin}/v2/${repository}/manifests/`;
    const body = await (await fetch(`${url}${digests.get(revision)}`, { headers: { accept } })).arrayBuffer();
    const done = await fetch(`${url}sample-${channel}`, { method: 'PUT', body, headers: { 'content-type': accept } });
    assert.is(done.status, 201);
  };
  return { repository, digests, move, at, put };
}

test('development moves on and never back: a slow older run ends without a change [DIST-082]', async () => {
  const { checkout, commit } = history();
  const [one, two] = [commit('one'), commit('two')];
  const { digests, move, at } = await published([one, two]);
  const moved = await move({ checkout, name: short(one) });
  assert.ok(typeof moved !== 'string' && moved.moved);
  assert.is(await at('development'), digests.get(one));
  assert.ok(((await move({ checkout, name: short(two) })) as Promoted).moved);
  assert.is(await at('development'), digests.get(two));
  for (const name of [short(one), short(two)]) {
    const slow = await move({ checkout, name });
    assert.ok(typeof slow !== 'string' && !slow.moved, String(slow));
    assert.is(await at('development'), digests.get(two));
  }
});

test('a branch channel does not move to an ancestor either, and a new one is never made [DIST-067] [DIST-082]', async () => {
  const { checkout, commit } = history();
  const [one, two] = [commit('one'), commit('two')];
  const ref = 'refs/heads/topic';
  const channel = branchChannel(ref);
  const { digests, move, at, put } = await published([one, two]);
  const run = { checkout, channel, event: 'push', ref };
  assert.match(String(await move({ ...run, name: short(one) })), /no new branch channel/);
  assert.is(await at(channel), undefined);
  await put(channel, two);
  const slow = await move({ ...run, name: short(one) });
  assert.ok(typeof slow !== 'string' && !slow.moved);
  assert.is(await at(channel), digests.get(two));
});

test('latest moves up, never down and never to a pre-release [DIST-059] [DIST-083]', async () => {
  const repository = fresh();
  const versions = ['1.9.0', '1.10.0', '2.0.0-rc.1', '1.9.1'];
  for (const version of versions) {
    const pushed = await push(repository, await joined(PLAIN, { version }), version);
    assert.ok(typeof pushed !== 'string', String(pushed));
  }
  const move = async (name: string) => {
    const input = { addon: 'sample', channel: 'latest', event: 'release', ref: `refs/tags/v${name}`, checkout: '/' };
    const done = await promote(access(repository), { ...input, name });
    if (isLeft(done)) throw new Error(done.left);
    return done.right.moved;
  };
  assert.equal([await move('1.9.0'), await move('1.10.0'), await move('1.9.1')], [true, true, false]);
  assert.equal([await move('2.0.0-rc.1'), await move('1.10.0')], [false, false]);
  assert.is(await digestAt(repository, 'sample-latest'), await digestAt(repository, 'sample-1.10.0'));
});

/** A branch whose old tip is gone from the checkout, as after a force-push and a fresh clone. */
async function rewritten(channel: string) {
  const { checkout, git, commit } = history();
  commit('root');
  const old = commit('old tip');
  git('reset', '-q', '--hard', 'HEAD~1');
  const tip = commit('new tip');
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '-q', '--prune=now');
  const world = await published([old, tip]);
  await world.put(channel, old);
  return { ...world, checkout, old, tip };
}

test('a rewritten branch takes its channel back only with a push to exactly its own ref [DIST-084] [DIST-085]', async () => {
  const ref = 'refs/heads/Feature/X';
  const channel = branchChannel(ref);
  const { digests, move, at, checkout, old, tip } = await rewritten(channel);
  const input = { checkout, channel, name: short(tip) };
  for (const other of [
    { event: 'release', ref },
    { event: 'pull_request', ref },
    { event: 'push', ref: 'refs/heads/feature-x' },
    { event: 'push', ref: 'refs/heads/feature/x' },
    { event: 'push', ref: 'refs/heads/master' },
    { event: 'push', ref: 'refs/tags/v1.2.3' },
  ]) {
    assert.match(String(await move({ ...input, ...other })), /^E_UNREACHABLE: /);
    assert.is(await at(channel), digests.get(old));
  }
  const moved = await move({ ...input, event: 'push', ref });
  assert.ok(typeof moved !== 'string' && moved.moved, String(moved));
  assert.is(await at(channel), digests.get(tip));
});

test('development with a commit that is gone is always refused [DIST-086]', async () => {
  const { digests, move, at, checkout, old, tip } = await rewritten('development');
  assert.match(String(await move({ checkout, name: short(tip) })), /^E_UNREACHABLE: /);
  assert.is(await at('development'), digests.get(old));
});

test('any other failure of git fails the promotion and is not taken for a commit that is gone [DIST-087]', async () => {
  const { checkout, git, commit } = history();
  const [one, two] = [commit('one'), commit('two')];
  const { digests, move, at, put } = await published([one, two]);
  await put('development', one);
  const fails = async (where: string) => {
    const done = await move({ checkout: where, name: short(two) });
    assert.ok(typeof done === 'string' && !done.startsWith('E_UNREACHABLE'), JSON.stringify(done));
    assert.is(await at('development'), digests.get(one));
  };
  await fails(tempDir('no-repository'));
  await fails('/nowhere/at/all');
  const shallow = join(tempDir('shallow'), 'clone');
  git('clone', '-q', '--depth', '1', `file://${checkout}`, shallow);
  await fails(shallow);
  const broken = join(tempDir('broken'), 'clone');
  git('clone', '-q', checkout, broken);
  rmSync(join(broken, '.git/objects'), { recursive: true });
  mkdirSync(join(broken, '.git/objects'));
  writeFileSync(join(broken, '.git/HEAD'), 'nonsense\n');
  await fails(broken);
  assert.ok(readFileSync(join(checkout, '.git/HEAD'), 'utf8').includes('master'));
  assert.ok(((await move({ checkout, name: short(two) })) as Promoted).moved);
});

test('a candidate that is not in the checkout, not published or of another add-on is refused', async () => {
  const { checkout, commit } = history();
  const one = commit('one');
  const elsewhere = history().commit('elsewhere');
  const { move, at, put, digests } = await published([one, elsewhere]);
  await put('development', one);
  assert.match(
    String(await move({ checkout, name: short(elsewhere) })),
    /commit of the package is not in the checkout/,
  );
  assert.match(String(await move({ checkout, name: 'sha-000000000000' })), /is not published/);
  assert.match(String(await move({ checkout, name: 'development' })), /only an immutable tag/);
  assert.match(String(await move({ checkout, name: short(elsewhere), event: 'release' })), /only moves with a push/);
  assert.is(await at('development'), digests.get(one));
});
test.run();
