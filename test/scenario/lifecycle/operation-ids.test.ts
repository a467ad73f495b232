import type { OperationStatus } from '../../../src/contract/api.js';
import { isLeft } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, codeOf, must, type World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle, operation ids');

const INSTALL = { addonId: 'demo', operationId: 'op-1', args: { sourceId: 'lib', version: '1.0.0' } };
const head = (world: World): number => world.store.journal.head().position;

test(
  'a repeat with the same actor and command answers the record and does nothing again [LIFECYCLE-023]',
  inWorld(async (world) => {
    const first = must(await world.dispatch('install', INSTALL));
    const [position, staged, fetched] = [head(world), world.packages.staged, world.catalog.fetched.length];
    assert.equal(must(await world.dispatch('install', INSTALL)), first);
    assert.equal([head(world), world.packages.staged, world.catalog.fetched.length], [position, staged, fetched]);
  }),
);

test(
  'repeats at the same time share one run [LIFECYCLE-023]',
  inWorld(async (world) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.dispatch('install', INSTALL)));
    for (const answer of answers) assert.equal(answer, answers[0]);
    assert.is(codeOf(answers[0] as (typeof answers)[number]), 'right');
    assert.is(world.packages.staged, 1);
  }),
);

test(
  'an id with another action, add-on, argument or generation is a conflict, during the run and after it [LIFECYCLE-024]',
  inWorld(async (world) => {
    let release: () => void = () => undefined;
    world.packages.gate = new Promise((resolve) => {
      release = resolve;
    });
    const running = world.dispatch('install', INSTALL);
    const others = [
      ['install', { ...INSTALL, addonId: 'other' }],
      ['install', { ...INSTALL, args: { sourceId: 'lib', version: '1.1.0' } }],
      ['install', { ...INSTALL, args: { sourceId: 'lib', channel: '1.0.0' } }],
      ['install', { ...INSTALL, generation: 7 }],
      ['upgrade', INSTALL],
      ['enable', { ...INSTALL, args: {} }],
    ] as const;
    for (const [action, given] of others)
      assert.is(codeOf(await world.dispatch(action, given)), 'operation_conflict', `${action} during`);
    release();
    must(await running);
    for (const [action, given] of others)
      assert.is(codeOf(await world.dispatch(action, given)), 'operation_conflict', `${action} after`);
    const save = { operationId: 'op-1', args: { id: 'x', url: 'https://x.test/i.yaml' } };
    assert.is(codeOf(await world.dispatch('catalog-source-save', save)), 'operation_conflict');
    const refresh = { operationId: 'op-1', args: { sourceId: 'lib' } };
    assert.is(codeOf(await world.dispatch('catalog-source-refresh', refresh)), 'operation_conflict');
  }),
);

test(
  'an id that another part of the product used is a conflict',
  inWorld(async (world) => {
    const settings = {
      name: 'X',
      url: 'https://x.test/i',
      format: 'library' as const,
      policy: { requireSignature: false },
    };
    const change = must(world.lifecycle.library.sources.add({ kind: 'addon', id: 'x', settings, enabled: true }));
    must(await world.store.commit({ changes: [change] }, { operationId: 'op-1' }));
    assert.is(await world.install('op-1'), 'operation_conflict');
    assert.is(await world.status('op-1'), 'not_found');
  }),
);

test(
  'a failed operation stays failed with the general words; a new id may succeed [LIFECYCLE-025]',
  inWorld(async (world) => {
    world.packages.refuseStage = refuse('package_fetch_failed', 'The server of the package answered 500.');
    const first = await world.dispatch('install', INSTALL);
    assert.ok(isLeft(first));
    assert.is(first.left.refusal, 'package_fetch_failed');
    assert.match(first.left.message, /answered 500/);
    world.packages.refuseStage = undefined;
    for (const restart of [false, true]) {
      if (restart) await world.boot();
      const again = await world.dispatch('install', INSTALL);
      assert.ok(isLeft(again));
      assert.is(again.left.refusal, 'package_fetch_failed');
      assert.is(again.left.message, 'Addon request denied');
      const status = must(await world.lifecycle.operationStatus(ADMIN, 'op-1'));
      assert.is(status.state, 'failed');
      assert.equal(status.error, { type: 'package_fetch_failed', message: 'Addon request denied' });
    }
    assert.is(world.packages.staged, 1);
    assert.is(((await world.install('op-2')) as OperationStatus).state, 'completed');
  }),
);

test(
  'a refusal before the intent leaves the id free',
  inWorld(async (world) => {
    const before = head(world);
    assert.is(await world.act('enable', 'op-1'), 'not_found');
    assert.is(await world.act('uninstall', 'op-1'), 'not_found');
    assert.is(await world.act('upgrade', 'op-1', { sourceId: 'lib', version: '1.0.0' }), 'not_found');
    assert.is(head(world), before);
    assert.is(((await world.install('op-1')) as OperationStatus).state, 'completed');
    assert.is(await world.install('op-2'), 'denied');
  }),
);

test(
  'another generation than the installed one is denied before anything is recorded, zero is no precondition [APPS-027] [APPS-031]',
  inWorld(async (world) => {
    await world.install('op-1');
    const before = head(world);
    for (const generation of [2, 99]) {
      const body = { operationId: 'op-2', generation };
      assert.is(codeOf(await world.lifecycle.startApp(ADMIN, 'demo', body)), 'denied');
      assert.is(codeOf(await world.lifecycle.stopApp(ADMIN, 'demo', body)), 'denied');
      assert.is(codeOf(await world.dispatch('enable', { addonId: 'demo', ...body })), 'denied');
      assert.is(codeOf(await world.dispatch('disable', { addonId: 'demo', ...body })), 'denied');
    }
    assert.is(
      codeOf(await world.lifecycle.startApp(ADMIN, 'demo', { operationId: 'op-2', generation: 0 })),
      'invalid_request',
    );
    assert.is(head(world), before);
    assert.is(await world.status('op-2'), 'not_found');
    must(await world.dispatch('enable', { addonId: 'demo', operationId: 'op-2', generation: 0 }));
    must(await world.dispatch('disable', { addonId: 'demo', operationId: 'op-3', generation: 1 }));
  }),
);

test(
  'start and stop are the typed enable and disable under one id, and a repeat never runs twice [APPS-024] [APPS-028]',
  inWorld(async (world) => {
    await world.install('op-1');
    const body = { operationId: 'op-2', generation: 1 };
    const started = must(await world.lifecycle.startApp(ADMIN, 'demo', body));
    assert.is(started.action, 'enable');
    assert.equal(must(await world.dispatch('enable', { addonId: 'demo', ...body })).payload, started as never);
    assert.is(codeOf(await world.lifecycle.stopApp(ADMIN, 'demo', body)), 'operation_conflict');
    must(await world.lifecycle.stopApp(ADMIN, 'demo', { operationId: 'op-3', generation: 1 }));
    const position = head(world);
    must(await world.lifecycle.startApp(ADMIN, 'demo', body));
    assert.is(head(world), position);
    assert.is(findInstalled(world.store.visible, 'demo')?.enabled, false);
    assert.is(world.runtimes.running.size, 0);
  }),
);

test(
  'malformed requests are refused and change nothing',
  inWorld(async (world) => {
    const before = head(world);
    const bad: readonly (readonly [string, Parameters<World['dispatch']>[1]])[] = [
      ['install', { ...INSTALL, operationId: 'Op 1' }],
      ['install', { ...INSTALL, operationId: '' }],
      ['install', { ...INSTALL, addonId: '../demo' }],
      ['install', { ...INSTALL, addonId: '' }],
      ['install', { ...INSTALL, resourceId: 'r' }],
      ['install', { ...INSTALL, generation: -1 }],
      ['install', { ...INSTALL, generation: 1.5 }],
      ['install', { ...INSTALL, args: {} }],
      ['install', { ...INSTALL, args: { sourceId: 'lib' } }],
      ['install', { ...INSTALL, args: { sourceId: 'lib', version: '1.0.0', channel: 'latest' } }],
      ['install', { ...INSTALL, args: { sourceId: 'lib', version: 1 } }],
      ['install', { ...INSTALL, args: { sourceId: 'lib', version: '1.0.0', digest: 'sha256:0' } }],
      ['install', { ...INSTALL, args: { sourceId: 'lib', version: '\ud800' } }],
      ['enable', { addonId: 'demo', operationId: 'op-1', args: { force: true } }],
      ['purge', { addonId: 'demo', operationId: 'op-1' }],
      ['catalog-search', { addonId: 'demo' }],
    ];
    for (const [action, given] of bad) {
      const answer = await world.dispatch(action, given);
      assert.is(codeOf(answer), 'invalid_request', JSON.stringify([action, given]));
    }
    assert.is(head(world), before);
    assert.equal(world.catalog.fetched, []);
  }),
);

test.run();
