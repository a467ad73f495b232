import type { SourceView } from '../../../src/contract/api.js';
import { isLeft } from '../../../src/contract/fp.js';
import type { Json } from '../../../src/contract/json.js';
import { installationKind } from '../../../src/projections/kinds/installation.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, codeOf, must, testRelease, until, type World } from '../../support/lifecycle-world.js';

const test = suite('libraries');

const SIGNAL = new AbortController().signal;
const PLAIN = { requireSignature: false };

const settings = (url: string, extra: object = {}) => ({
  name: 'N',
  url,
  format: 'library' as const,
  policy: PLAIN,
  ...extra,
});

async function sourcesOf(world: World): Promise<readonly SourceView[]> {
  const { payload } = must(await world.dispatch('catalog-sources'));
  return (payload as unknown as { sources: SourceView[] }).sources;
}

const save = (world: World, operationId: string, args: object) =>
  world.dispatch('catalog-source-save', { operationId, args: args as Json });

test(
  'sources survive a restart, releases do not and resolve only after a refresh [CATALOG-063] [CATALOG-061]',
  inWorld(async (world) => {
    must(await world.lifecycle.library.refresh('lib', SIGNAL));
    assert.is(world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 50 }).total, 3);
    await world.boot();
    assert.is((await sourcesOf(world))[0]?.id, 'lib');
    assert.is(world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 50 }).total, 0);
  }),
);

test(
  'an install reads the library anew: what a failed read left behind never resolves [CATALOG-024] [CATALOG-008]',
  inWorld(async (world) => {
    must(await world.lifecycle.library.refresh('lib', SIGNAL));
    world.catalog.failing.add('lib');
    assert.is(await world.install('op-1'), 'library_unavailable');
    const { releases, total } = world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 50 });
    assert.equal([releases.length, total], [0, 0]);
    assert.is(codeOf(world.lifecycle.library.details('lib', 'demo', '1.0.0')), 'not_found');
    world.catalog.failing.clear();
    must(await world.lifecycle.library.refresh('lib', SIGNAL));
    must(await save(world, 'op-2', { id: 'lib', name: 'renamed', url: 'https://lib.test/index.yaml' }));
    assert.is(world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 50 }).total, 0);
  }),
);

test(
  'a failed refresh keeps the time of the last success and says that it failed [CATALOG-023] [MANAGE-017]',
  inWorld(async (world) => {
    must(await world.lifecycle.library.refresh('lib', SIGNAL));
    const success = world.clock.now().toISOString();
    world.clock.advance(60_000);
    world.catalog.failing.add('lib');
    assert.is(codeOf(await world.lifecycle.library.refresh('lib', SIGNAL)), 'library_unavailable');
    const checkedAt = world.clock.now().toISOString();
    assert.equal((await sourcesOf(world))[0]?.refresh, {
      checkedAt,
      lastSuccess: success,
      count: 0,
      failed: true,
      message: 'The library could not be read.',
    });
  }),
);

test(
  'a disabled library is neither fetched, searched nor resolved [CATALOG-048]',
  inWorld(async (world) => {
    must(await world.lifecycle.library.refresh('lib', SIGNAL));
    must(await world.lifecycle.library.disable('lib'));
    world.catalog.fetched.length = 0;
    await world.lifecycle.library.refreshAll(SIGNAL);
    assert.is(codeOf(await world.lifecycle.library.refresh('lib', SIGNAL)), 'library_unavailable');
    assert.is(await world.install('op-1'), 'library_unavailable');
    assert.is(world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 50 }).total, 0);
    assert.equal(world.catalog.fetched, []);
  }),
);

test(
  'a version or a channel picks exactly one release for this platform, and the choice is stamped here [CATALOG-049] [CATALOG-052] [CATALOG-053] [CATALOG-055] [CATALOG-056]',
  inWorld(async (world) => {
    await world.library([
      testRelease('demo', '1.0.0', { selection: 'forged' }),
      testRelease('demo', '1.1.0', { channel: 'latest', selection: 'forged' }),
      testRelease('demo', '3.0.0', { arch: 'arm64', channel: 'edge' }),
      testRelease('demo', '2.0.0', { channel: 'twice' }),
      testRelease('demo', '2.1.0', { channel: 'twice' }),
    ]);
    const tries = [
      [{ version: '9.9.9' }, 'release_not_found'],
      [{ version: '3.0.0' }, 'release_not_found'],
      [{ channel: 'edge' }, 'release_not_found'],
      [{ channel: 'twice' }, 'release_not_found'],
    ] as const;
    for (const [index, [wanted, code]] of tries.entries())
      assert.is(
        await world.act('install', `bad-${index}`, { sourceId: 'lib', ...wanted }),
        code,
        JSON.stringify(wanted),
      );
    assert.is(await world.act('install', 'bad-9', { sourceId: 'nowhere', version: '1.0.0' }), 'library_unavailable');
    await world.act('install', 'op-1', { sourceId: 'lib', channel: 'latest' });
    const { current } = world.store.visible.get(installationKind, 'demo');
    assert.equal([current?.version, current?.channel, current?.selection], ['1.1.0', 'latest', 'latest']);
  }),
);

test(
  'removing or refreshing a library changes nothing that is installed [CATALOG-009] [CATALOG-010] [MANAGE-015]',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    const before = JSON.stringify(world.store.visible.get(installationKind, 'demo'));
    world.catalog.indexes.set('lib', [testRelease('demo', '7.0.0', { artifact: 'https://evil.test/x.tar' })]);
    must(await world.dispatch('catalog-source-refresh', { operationId: 'op-3', args: { sourceId: 'lib' } }));
    assert.is(JSON.stringify(world.store.visible.get(installationKind, 'demo')), before);
    must(await save(world, 'op-4', { id: 'lib', removed: true }));
    assert.is(JSON.stringify(world.store.visible.get(installationKind, 'demo')), before);
    assert.is(world.runtimes.running.get('demo')?.generation, 1);
    assert.is(world.packages.published.size, 1);
    assert.equal(await sourcesOf(world), []);
  }),
);

test(
  'the policy of a package comes from the configured library, whatever the index says [CATALOG-033]',
  inWorld(async (world) => {
    const policy = { requireSignature: true, issuer: 'https://issuer.test', identity: 'https://signer.test' };
    must(await save(world, 'op-1', { id: 'lib', url: 'https://lib.test/index.yaml', policy }));
    let used: unknown;
    const stage = world.packages.stage.bind(world.packages);
    world.packages.stage = (release, given, options) => {
      used = given;
      return stage(release, given, options);
    };
    world.catalog.indexes.set('lib', [testRelease('demo', '1.0.0', { policy: PLAIN } as object)]);
    await world.install('op-2');
    assert.equal(used, policy);
    assert.is(world.store.visible.get(installationKind, 'demo').current?.sourceIdentity, 'https://lib.test/index.yaml');
  }),
);

test(
  'a save answers the stored library, a repeat of it the same, and nothing twice [MANAGE-003] [MANAGE-009]',
  inWorld(async (world) => {
    const args = { id: 'new', name: 'New', url: 'https://new.test/i.yaml', enabled: false, policy: PLAIN };
    const stored = must(await save(world, 'op-1', args)).payload;
    assert.equal(stored, {
      ...args,
      kind: 'addon',
      format: 'library',
      default: false,
      removed: false,
      suspended: false,
    });
    const position = world.store.journal.head().position;
    const answers = await Promise.all(Array.from({ length: 5 }, () => save(world, 'op-1', args)));
    for (const answer of answers) assert.equal(must(answer).payload, stored);
    await world.boot();
    assert.equal(must(await save(world, 'op-1', args)).payload, stored);
    assert.is(world.store.journal.head().position, position);
    assert.is(codeOf(await save(world, 'op-1', { ...args, enabled: true })), 'operation_conflict');
  }),
);

test(
  'saves under one new id at the same time are recorded once',
  inWorld(async (world) => {
    const args = { id: 'new', url: 'https://new.test/i.yaml' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => save(world, 'op-1', args)));
    assert.ok(answers.some((answer) => !isLeft(answer)));
    const recorded = world.store.journal
      .readStream('operation-op-1')
      .filter(({ type }) => type === 'OperationRequested');
    assert.is(recorded.length, 1);
    assert.is(world.store.journal.readStream('source-addon-new').length, 1);
  }),
);

test(
  'a refresh answers what it read; one that is off, unreachable or invalid is an unknown outcome with its id [MANAGE-010] [MANAGE-016]',
  inWorld(async (world) => {
    const refresh = (operationId: string, sourceId = 'lib') =>
      world.dispatch('catalog-source-refresh', { operationId, args: { sourceId } });
    const now = world.clock.now().toISOString();
    const read = must(await refresh('op-1')).payload;
    assert.equal(read, { sourceId: 'lib', count: 3, checkedAt: now, lastSuccess: now });
    world.catalog.failing.add('lib');
    assert.equal(must(await refresh('op-1')).payload, read);
    const failed = await refresh('op-2');
    assert.ok(isLeft(failed));
    assert.equal([failed.left.refusal, failed.left.detail], ['outcome_unknown', { operationId: 'op-2' }]);
    world.catalog.failing.clear();
    assert.is(codeOf(await refresh('op-2')), 'outcome_unknown');
    must(await world.lifecycle.library.disable('lib'));
    assert.is(codeOf(await refresh('op-3')), 'outcome_unknown');
    assert.is(codeOf(await refresh('op-4', 'nowhere')), 'not_found');
    const fetches = world.catalog.fetched.length;
    assert.is(codeOf(await refresh('op-3')), 'outcome_unknown');
    assert.is(world.catalog.fetched.length, fetches);
  }),
);

test(
  'a refresh that a crash cut off is failed at the start and blocks nothing',
  inWorld(async (world) => {
    world.catalog.gate = new Promise(() => undefined);
    void world.dispatch('catalog-source-refresh', { operationId: 'op-1', args: { sourceId: 'lib' } });
    await until(() => world.catalog.fetched.length === 1);
    world.catalog.gate = undefined;
    await world.boot();
    assert.is(await world.status('op-1'), 'failed');
    const again = await world.dispatch('catalog-source-refresh', { operationId: 'op-1', args: { sourceId: 'lib' } });
    assert.is(codeOf(again), 'outcome_unknown');
  }),
);

test(
  'a slow library holds back no lifecycle command on other libraries',
  inWorld(async (world) => {
    await world.library([testRelease('far', '1.0.0', { sourceId: 'far' })], 'far');
    await world.install('op-1');
    world.catalog.gate = new Promise(() => undefined);
    void world.dispatch('catalog-source-refresh', { operationId: 'op-2', args: { sourceId: 'far' } });
    await until(() => world.catalog.fetched.includes('far'));
    assert.not.type(await world.act('enable', 'op-3'), 'string');
    assert.is(await world.status('op-2'), 'intent');
  }),
);

test(
  'an unknown field in the arguments of a management action is a denial [MANAGE-002]',
  inWorld(async (world) => {
    const good: Readonly<Record<string, object>> = {
      'catalog-search': {},
      'catalog-details': { sourceId: 'lib', version: '1.0.0' },
      'catalog-sources': {},
      'addons-installed': {},
      'catalog-source-save': { id: 'new', url: 'https://new.test/i.yaml' },
      'catalog-source-refresh': { sourceId: 'lib' },
      'operation-status': { operationId: 'op-1' },
    };
    const before = world.store.journal.head().position;
    for (const [action, args] of Object.entries(good)) {
      const answer = await world.dispatch(action, { operationId: 'op-1', args: { ...args, extra: 1 } as Json });
      assert.is(codeOf(answer), 'denied', action);
    }
    assert.is(world.store.journal.head().position, before);
    assert.equal(world.catalog.fetched, []);
  }),
);

test(
  'a credential that is not configured is denied, neither stored nor echoed; a configured one is a name only [MANAGE-012] [CATALOG-016]',
  inWorld(
    async (world) => {
      const args = { id: 'new', url: 'https://new.test/i.yaml', authReference: 'hunter2-token' };
      const answer = await save(world, 'op-1', args);
      assert.is(codeOf(answer), 'denied');
      assert.not.match(JSON.stringify(answer), /hunter2/);
      assert.is(world.lifecycle.library.find('new'), undefined);
      must(await save(world, 'op-2', { ...args, authReference: 'mirror' }));
      assert.is(world.lifecycle.library.find('new')?.authReference, 'mirror');
      const journal = [...world.store.journal.readRaw({ from: 1 })]
        .flat()
        .map(({ bytes }) => Buffer.from(bytes).toString());
      assert.not.match(journal.join('\n'), /hunter2/);
    },
    (world) => {
      world.options = { credentials: new Set(['mirror']) };
    },
  ),
);

test(
  'plain http cannot be opted into over dispatch; a library that has it keeps it [MANAGE-014]',
  inWorld(async (world) => {
    const policy = { requireSignature: false, allowLoopbackHTTP: true };
    const local = { id: 'local', name: 'Local', url: 'http://127.0.0.1:9/i.yaml', policy };
    assert.is(codeOf(await save(world, 'op-1', local)), 'invalid_request');
    assert.is(
      codeOf(await save(world, 'op-2', { id: 'lib', url: 'https://lib.test/index.yaml', policy })),
      'invalid_request',
    );
    must(
      await world.lifecycle.library.add({
        kind: 'addon',
        id: 'local',
        settings: settings(local.url, { policy }),
        enabled: true,
      }),
    );
    must(await save(world, 'op-3', { ...local, name: 'Renamed' }));
    assert.is(world.lifecycle.library.find('local')?.policy.allowLoopbackHTTP, true);
  }),
);

test(
  'lists are copies: changing one changes nothing in the service [CATALOG-058] [CATALOG-060]',
  inWorld(async (world) => {
    must(
      await world.lifecycle.library.add({
        kind: 'addon',
        id: 'aaa',
        settings: settings('https://a.test/i'),
        enabled: false,
      }),
    );
    const [first] = world.lifecycle.library.list() as [SourceView];
    assert.is(first.id, 'aaa');
    (first.policy as { requireSignature: boolean }).requireSignature = true;
    (first as { name: string }).name = 'changed';
    assert.equal([world.lifecycle.library.list()[0]?.name, world.lifecycle.library.list()[0]?.policy], ['N', PLAIN]);
  }),
);

test(
  'the startup refresh reads every enabled library in the background, ends after 30 s, and costs a log line [LIFECYCLE-037] [LIFECYCLE-038] [LIFECYCLE-039]',
  inWorld(async (world) => {
    await world.library([], 'stuck');
    world.catalog.gate = new Promise(() => undefined);
    const refreshed = world.lifecycle.openLibrary();
    await until(() => world.catalog.fetched.length === 2);
    assert.is(world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 50 }).total, 0);
    let ended = false;
    void refreshed.then(() => {
      ended = true;
    });
    world.clock.advance(29_999);
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(ended, false);
    world.clock.advance(1);
    await refreshed;
    assert.is(world.seen.filter(({ message }) => message === 'A library was not read').length, 2);
  }),
);

test(
  'a library that is edited while it is read is not taken as read',
  inWorld(async (world) => {
    let open: () => void = () => undefined;
    world.catalog.gate = new Promise((resolve) => {
      open = resolve;
    });
    const reading = world.lifecycle.library.refresh('lib', SIGNAL);
    await until(() => world.catalog.fetched.length === 1);
    must(await save(world, 'op-1', { id: 'lib', url: 'https://elsewhere.test/i.yaml' }));
    open();
    assert.is(codeOf(await reading), 'library_unavailable');
    assert.is(world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 50 }).total, 0);
  }),
);

test(
  'details show the release and what is installed of it, and the reads of the catalog record nothing [MANAGE-003] [MANAGE-006]',
  inWorld(async (world) => {
    must(await world.lifecycle.library.refresh('lib', SIGNAL));
    const details = () =>
      world.dispatch('catalog-details', { addonId: 'demo', args: { sourceId: 'lib', version: '1.1.0' } });
    const before = must(await details()).payload as { release: { version: string }; installed: Json };
    assert.equal([before.release.version, before.installed], ['1.1.0', null]);
    await world.install('op-1');
    const position = world.store.journal.head().position;
    const after = must(await details()).payload as { installed: Json };
    assert.equal(after.installed, { version: '1.0.0', generation: 1, enabled: false });
    for (const action of ['catalog-search', 'catalog-sources', 'addons-installed']) must(await world.dispatch(action));
    must(await world.lifecycle.apps(ADMIN));
    assert.is(world.store.journal.head().position, position);
  }),
);

test.run();
