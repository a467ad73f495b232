/** What an event may publish and how tags are named (15:77-133); `test/scenario/cli/publishing.test.ts` runs the commands. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { officialLibrary } from '../../../../src/commands/library/shipped.js';
import { isLeft } from '../../../../src/contract/fp.js';
import { signerOf } from '../../../../src/contract/package-signer.js';
import {
  branchChannel,
  isImmutable,
  publicationOf,
  registryTag,
  tagKind,
} from '../../../../src/packages/release/channels.js';
import { repositoryOf, targetOf } from '../../../../src/packages/release/repository.js';
import { assert, suite } from '../../../support/harness.js';

const test = suite('channels and tags');
const SHA = '4edf30cda051aaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const of = (event: string, ref: string, more: { draft?: boolean; prerelease?: boolean } = {}) => {
  const publication = publicationOf({ event, ref, sha: SHA, ...more });
  return isLeft(publication) ? publication.left : publication.right;
};
const refName = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019/-_.#é日 '), minLength: 1, maxLength: 80 })
  .map((name) => name.replaceAll(' ', '+'));

test('a pull request publishes nothing, whatever it is called [DIST-055]', () => {
  for (const event of ['pull_request', 'pull_request_target', 'workflow_dispatch', 'schedule', ''])
    for (const ref of ['refs/pull/1/merge', 'refs/heads/master', 'refs/tags/v1.2.3']) assert.equal(of(event, ref), {});
});

test('a push to master has the commit as its immutable tag and moves development [DIST-056]', () => {
  assert.equal(of('push', 'refs/heads/master'), { immutable: 'sha-4edf30cda051', moving: 'development' });
});

test('a push to any other branch publishes nothing [DIST-057] [DIST-067]', () => {
  fc.assert(
    fc.property(refName, (name) => {
      assert.equal(of('push', `refs/heads/${name}`), {});
    }),
  );
  for (const name of ['latest', 'development', 'v1.2.3', '1.2.3', 'main', 'release/v1.2.3', 'sha-4edf30cda051'])
    assert.equal(of('push', `refs/heads/${name}`), {});
});

test('only the exact ref of master is development [DIST-066]', () => {
  for (const name of ['Master', 'master/', 'master2', 'x/master', 'refs/heads/master', 'master.'])
    assert.equal(of('push', `refs/heads/${name}`), {});
  assert.equal(of('push', 'refs/tags/master'), {});
  assert.match(String(of('push', 'master')), /not a full ref/);
});

test('a tag of a version has that version and never moves latest [DIST-058]', () => {
  assert.equal(of('push', 'refs/tags/v1.2.3'), { immutable: '1.2.3' });
  assert.equal(of('push', 'refs/tags/v1.2.3-rc.1'), { immutable: '1.2.3-rc.1' });
  for (const tag of ['1.2.3', 'v1.2', 'v01.2.3', 'v1.2.3+build', 'vlatest', 'v1.2.3-RC'])
    assert.equal(of('push', `refs/tags/${tag}`), {});
});

test('a published stable release moves latest, a draft publishes nothing [DIST-059]', () => {
  assert.equal(of('release', 'refs/tags/v1.2.3'), { immutable: '1.2.3', moving: 'latest' });
  assert.equal(of('release', 'refs/tags/v1.2.3', { draft: true }), {});
  assert.match(String(of('release', 'refs/tags/nightly')), /not of a tag such as/);
});

test('a pre-release has its version and moves nothing, by its name or by its mark [DIST-060]', () => {
  assert.equal(of('release', 'refs/tags/v1.2.3-beta.1'), { immutable: '1.2.3-beta.1' });
  assert.equal(of('release', 'refs/tags/v1.2.3', { prerelease: true }), { immutable: '1.2.3' });
});

test('a commit that is not given whole is refused', () => {
  assert.ok(isLeft(publicationOf({ event: 'push', ref: 'refs/heads/master', sha: '4edf30cda051' })));
});

test('the tag in the registry is the name behind the id of the add-on [DIST-041] [DIST-061]', () => {
  for (const name of ['sha-4edf30cda051', '1.2.3', 'development', 'latest', branchChannel('refs/heads/x')]) {
    const tag = registryTag('fine-tuning', name);
    assert.is(isLeft(tag) ? tag.left : tag.right, `fine-tuning-${name}`);
  }
  for (const name of ['', 'v1.2.3', 'sha-4edf', 'main', 'branch-x', 'Latest', 'latest '])
    assert.ok(isLeft(registryTag('voice', name)), name);
  assert.ok(isLeft(registryTag('Voice', 'latest')));
});

test('the namespaces of names never overlap [DIST-062]', () => {
  const version = fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)).map((parts) => parts.join('.'));
  const commit = fc.stringMatching(/^[0-9a-f]{40}$/).map((sha) => `sha-${sha.slice(0, 12)}`);
  const branch = refName.map((name) => branchChannel(`refs/heads/${name}`));
  fc.assert(
    fc.property(version, commit, branch, (ofVersion, ofCommit, ofBranch) => {
      assert.equal([ofVersion, ofCommit, ofBranch, 'latest', 'development'].map(tagKind), [
        'version',
        'commit',
        'branch',
        'reserved',
        'reserved',
      ]);
      assert.equal([ofVersion, ofCommit, ofBranch, 'latest', 'development'].map(isImmutable), [
        true,
        true,
        false,
        false,
        false,
      ]);
      assert.ok(ofBranch.startsWith('branch-'));
    }),
  );
});

test('a branch channel ends with twelve digits of the hash of the whole ref [DIST-063]', () => {
  for (const ref of ['refs/heads/feature/x', 'refs/heads/Überfluss', 'refs/heads/a']) {
    const hash = createHash('sha256').update(ref, 'utf8').digest('hex').slice(0, 12);
    assert.ok(branchChannel(ref).endsWith(`-${hash}`));
  }
  assert.is(branchChannel('refs/heads/feature/x').length, 'branch-feature-x-'.length + 12);
});

test('its label is lower case, with one dash for every run of other characters, at most 40 long, and x when nothing is left [DIST-064]', () => {
  const label = (name: string) => branchChannel(`refs/heads/${name}`).slice('branch-'.length, -13);
  assert.is(label('Feature/Some__Thing'), 'feature-some-thing');
  assert.is(label('///'), 'x');
  assert.is(label('日本'), 'x');
  assert.is(label('a'.repeat(60)), 'a'.repeat(40));
  assert.is(label(`${'a'.repeat(39)}/b`), 'a'.repeat(39));
});

test('branches that differ only in case or separators have channels of their own [DIST-065]', () => {
  const three = ['Feature/X', 'feature-x', 'feature/x'].map((name) => branchChannel(`refs/heads/${name}`));
  assert.is(new Set(three).size, 3);
  fc.assert(
    fc.property(fc.uniqueArray(refName, { minLength: 2, maxLength: 8 }), (names) => {
      const channels = names.map((name) => branchChannel(`refs/heads/${name}`));
      assert.is(new Set(channels).size, names.length);
      for (const channel of channels) assert.is(tagKind(channel), 'branch');
    }),
  );
});

test('the repository is named by whoever publishes; one of backend images is refused [DIST-034] [DIST-047]', () => {
  for (const good of ['quay.io/go-skynet/local-ai-addons', '127.0.0.1:5000/addons', 'registry.example/a/b/c']) {
    const read = repositoryOf(good);
    assert.is(isLeft(read) ? read.left : read.right.text, good);
  }
  for (const [value, reason] of [
    ['quay.io/go-skynet/local-ai-backends', /backend images/],
    ['localai/localai-backends', /backend images/],
    ['docker.io/localai/localai', /backend images/],
    ['quay.io/go-skynet/local-ai', /backend images/],
    ['registry.example/backend/llama-cpp', /backend images/],
    ['quay.io/go-skynet/local-ai-addons:latest', /has a tag/],
    [`quay.io/go-skynet/local-ai-addons@sha256:${'0'.repeat(64)}`, /has a digest/],
    ['oci://quay.io/x', /scheme/],
    ['', /none by default/],
    [undefined, /none by default/],
    ['not a repository', /host\/path/],
  ] as const) {
    const read = repositoryOf(value);
    assert.ok(isLeft(read) && reason.test(read.left), String(value));
  }
});

test('a target is the repository with the tag of the add-on', () => {
  const target = targetOf('quay.io/go-skynet/local-ai-addons', 'fine-tuning', 'sha-99d1dca2c869');
  assert.is(isLeft(target) || target.right, 'oci://quay.io/go-skynet/local-ai-addons:fine-tuning-sha-99d1dca2c869');
  assert.ok(isLeft(targetOf('quay.io/go-skynet/local-ai-backends', 'voice', 'latest')));
});

test('the signer is the workflow of this pipeline at the ref of the run [DIST-089]', () => {
  const signer = signerOf('mudler/LocalAI', 'refs/tags/v1.2.3');
  assert.equal(isLeft(signer) || signer.right, {
    requireSignature: true,
    issuer: 'https://token.actions.githubusercontent.com',
    identity: 'https://github.com/mudler/LocalAI/.github/workflows/addons-package.yml@refs/tags/v1.2.3',
  });
  const { policy } = officialLibrary('v1.2.3', undefined) ?? {};
  assert.equal(policy, isLeft(signer) || signer.right, 'a release build asks for the signer its packages have');
  for (const [source, ref] of [
    ['mudler', 'refs/heads/master'],
    ['mudler/LocalAI', 'master'],
    ['mudler/LocalAI', 'refs/heads/a b'],
    ['a/b/c', 'refs/heads/master'],
  ] as const)
    assert.ok(isLeft(signerOf(source, ref)));
});
test.run();
