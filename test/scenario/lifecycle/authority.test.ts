import type { OwnerContext } from '../../../src/commands/context.js';
import { createLifecycle, type LifecycleOptions } from '../../../src/commands/lifecycle/index.js';
import { isLeft, left, right } from '../../../src/contract/fp.js';
import type { Json } from '../../../src/contract/json.js';
import { refuse } from '../../../src/contract/refusal.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, codeOf, must, OTHER_ADMIN, READER, testRelease, type World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle, authority');

const SELECTION = { sourceId: 'lib', version: '1.0.0' };
const SOURCE = {
  id: 'new',
  name: 'N',
  url: 'https://new.test/i.yaml',
  enabled: true,
  policy: { requireSignature: false },
};

/** Every action that changes or shows what only an administrator may. */
const ACTIONS: readonly (readonly [string, Parameters<World['dispatch']>[1]])[] = [
  ['install', { addonId: 'demo', operationId: 'op-i', args: SELECTION }],
  ['upgrade', { addonId: 'demo', operationId: 'op-u', args: SELECTION }],
  ['enable', { addonId: 'demo', operationId: 'op-e' }],
  ['disable', { addonId: 'demo', operationId: 'op-d' }],
  ['uninstall', { addonId: 'demo', operationId: 'op-x' }],
  ['catalog-search', {}],
  ['catalog-details', { addonId: 'demo', args: SELECTION }],
  ['catalog-sources', {}],
  ['addons-installed', {}],
  ['catalog-source-save', { operationId: 'op-s', args: SOURCE as unknown as Json }],
  ['catalog-source-refresh', { operationId: 'op-r', args: { sourceId: 'lib' } }],
  ['operation-status', { args: { operationId: 'op-i' } }],
];

const commits = (world: World): number => world.store.journal.head().position;

test(
  'everyone but an administrator is denied every action before anything happens [MANAGE-001] [MANAGEPAGE-003] [CATALOG-012] [CATALOG-013] [CATALOG-057]',
  inWorld(async (world) => {
    const before = commits(world);
    const claims = { ...READER, actor: { ...READER.actor, userId: 'admin', mode: 'local-owner' as const } };
    for (const [action, given] of ACTIONS)
      for (const caller of [READER, claims]) {
        const answer = await world.dispatch(action, given, caller);
        assert.is(codeOf(answer), 'denied', action);
      }
    assert.is(commits(world), before);
    assert.equal(world.catalog.fetched, []);
  }),
);

test(
  'start and stop of a person who is no administrator are denied whatever the body says [APPS-026]',
  inWorld(async (world) => {
    await world.install('op-1');
    const before = commits(world);
    for (const body of [
      { operationId: 'op-2', generation: 1 },
      { operationId: '', generation: -4 },
    ]) {
      assert.is(codeOf(await world.lifecycle.startApp(READER, 'demo', body)), 'denied');
      assert.is(codeOf(await world.lifecycle.stopApp(READER, 'demo', body)), 'denied');
    }
    assert.is(commits(world), before);
  }),
);

test(
  'a duplicate is checked again: what a demoted person did before is not answered any more [LIFECYCLE-016] [CATALOG-011]',
  inWorld(async (world) => {
    must(await world.dispatch('install', { addonId: 'demo', operationId: 'op-1', args: SELECTION }));
    must(await world.dispatch('catalog-source-save', { operationId: 'op-2', args: SOURCE as unknown as Json }));
    world.administrators = async () => right(false);
    const again = await world.dispatch('install', { addonId: 'demo', operationId: 'op-1', args: SELECTION });
    assert.is(codeOf(again), 'denied');
    const saved = await world.dispatch('catalog-source-save', { operationId: 'op-2', args: SOURCE as unknown as Json });
    assert.is(codeOf(saved), 'denied');
    assert.is(codeOf(await world.dispatch('catalog-sources')), 'denied');
    assert.is(codeOf(await world.lifecycle.operationStatus(ADMIN, 'op-1')), 'denied');
  }),
);

test(
  'a check that cannot answer refuses commands and shows the list as a reader sees it [APPS-006]',
  inWorld(async (world) => {
    await world.install('op-1');
    assert.is(must(await world.lifecycle.apps(ADMIN)).length, 1);
    world.administrators = async () => left(refuse('unavailable', 'The account storage does not answer.'));
    assert.is(await world.act('enable', 'op-2'), 'unavailable');
    assert.equal(must(await world.lifecycle.apps(ADMIN)), []);
  }),
);

test(
  'an owner without a check of administrators does not start [LIFECYCLE-013] [CATALOG-002]',
  inWorld(async (world) => {
    const context: OwnerContext = world.context();
    assert.throws(() => createLifecycle(context, {} as LifecycleOptions), /check of administrators/);
  }),
);

test(
  'before the journal is reconciled every command is refused and nothing is recorded [LIFECYCLE-010] [LIFECYCLE-029]',
  inWorld(async (world) => {
    const lifecycle = createLifecycle(world.context(), { administrators: async () => right(true) });
    const before = commits(world);
    for (const [action, given] of ACTIONS) {
      const value = { addonId: '', operationId: '', generation: 0, arguments: {}, action, ...given };
      const answer = await lifecycle.dispatch(ADMIN, { value, rawArguments: '{}' });
      assert.is(codeOf(answer), 'starting', action);
    }
    const body = { operationId: 'op-9', generation: 1 };
    assert.is(codeOf(await lifecycle.startApp(ADMIN, 'demo', body)), 'starting');
    assert.is(commits(world), before);
  }),
);

test(
  'the state of an operation is shown to the person who asked for it only, and never says who else did',
  inWorld(async (world) => {
    await world.install('op-1');
    assert.is(await world.status('op-1'), 'completed');
    const foreign = await world.lifecycle.operationStatus(OTHER_ADMIN, 'op-1');
    const unknown = await world.lifecycle.operationStatus(OTHER_ADMIN, 'op-404');
    assert.ok(isLeft(foreign) && isLeft(unknown));
    assert.equal(foreign, unknown);
  }),
);

test(
  'installing gives the administrator no resource and no grant [LIFECYCLE-017]',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    const streams = new Set<string>();
    for (const slice of world.store.journal.read({ from: 1 }))
      for (const { stream } of slice) streams.add(stream.split('-')[0] ?? '');
    assert.equal([...streams].sort(), ['installation', 'operation', 'source']);
  }),
);

test(
  'an administrator of another name is an administrator too, and cannot take over an operation id [LIFECYCLE-024]',
  inWorld(async (world) => {
    await world.library([testRelease('demo', '1.0.0')]);
    must(await world.dispatch('install', { addonId: 'demo', operationId: 'op-1', args: SELECTION }));
    const answer = await world.dispatch(
      'install',
      { addonId: 'demo', operationId: 'op-1', args: SELECTION },
      OTHER_ADMIN,
    );
    assert.is(codeOf(answer), 'operation_conflict');
  }),
);

test.run();
