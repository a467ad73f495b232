/** Promoting in a real registry: the ways of an alias in a real git history (15:122-181). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft } from '../../../src/contract/fp.js';
import { branchChannel } from '../../../src/packages/release/channels.js';
import { type Promoted, type PromoteInput, promote } from '../../../src/packages/release/promote.js';
import { assert, suite } from '../../support/harness.js';
import { PLAIN } from '../../support/layouts.js';
import { joined, publishing } from '../../support/publishing.js';
import { type RealRegistry, startRegistry } from '../../support/registry.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('promoting');
let registry: RealRegistry;
test.before(async () => {
  registry = await startRegistry();
});
test.after(() => registry.close());

const { fresh, access, push, digestAt } = publishing(() => registry);

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
