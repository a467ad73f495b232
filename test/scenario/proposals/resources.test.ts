/** A person's own resources: direct creation, its repeats and crashes, and the list with names. */
import { createDesk } from '../../../src/commands/proposals/desk.js';
import { createResource } from '../../../src/commands/resources/create.js';
import { settleReservation } from '../../../src/commands/resources/reservations.js';
import { resourceKind } from '../../../src/projections/kinds/resource.js';
import { installedTables, keyOf, local, must, person, refused, settle, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('resources');
const DOWN = { kind: 'outage' as const, message: 'down' };

const make = (world: World, operationId: string, name = 'Books', caller = local(operationId)) =>
  world.createDatabase(caller, operationId, { name });
const held = (world: World, id: string) => world.store.visible.get(resourceKind, id).state;
const reservedOf = (world: World) => [...world.store.visible.all(resourceKind).keys()].at(-1) ?? '';

test('a person creates a resource through preview, apply and receipt, and owns it alone [POLICY-008] [POLICY-029]', async () => {
  const world = await World.open();
  const { created, entry } = must(await make(world, 'op-1', 'Books', person('ada', 'op-1')));
  assert.ok(created);
  assert.equal([entry.role, entry.name, entry.operationId, entry.sharedWith], ['owner', 'Books', 'op-1', 0]);
  assert.ok(entry.resourceId.length <= 40);
  assert.equal(world.events(`resource-${entry.resourceId}`), ['ResourceReserved', 'ResourceActivated']);
  const [preview, apply] = [world.addon.previews[0], world.addon.applyCalls[0]?.envelope];
  for (const call of [preview, apply]) {
    assert.equal([call?.request.operationId, call?.request.action], [`create-${entry.resourceId}`, 'create']);
    assert.equal(call?.request.arguments, { tool: 'create-database', name: 'Books' });
  }
  assert.equal(must(await world.proposals.resources(person('bob'), 'tables')), []);
  world.addon.data.set('r-without-record', { schema: 1, data: 0 });
  assert.is(must(await world.proposals.resources(person('ada'), 'tables')).length, 1);
});

test('repeating the call returns the same resource, at once and later; other arguments under its id are a conflict [WIRE-040]', async () => {
  const world = await World.open();
  const many = await Promise.all(Array.from({ length: 4 }, () => make(world, 'op-1')));
  const ids = new Set(many.map((one) => must(one).entry.resourceId));
  assert.is(ids.size, 1);
  assert.equal(
    many.map((one) => must(one).created),
    [true, false, false, false],
  );
  const after = await world.restart();
  const again = must(await make(after, 'op-1'));
  assert.equal([again.created, again.entry.name], [false, 'Books']);
  refused(await make(after, 'op-1', 'Other'), 'operation_conflict', 409);
  assert.is(after.addon.applyCalls.length, 1);
  const ada = must(await make(after, 'op-1', 'Books', person('ada', 'op-1'))).entry.resourceId;
  assert.not(ids.has(ada), 'another person who chose the same id has a resource of their own');
});

test('only the own session creates: no surface and keys are denied, another subject is 400', async () => {
  const world = await World.open();
  refused(await make(world, 'op-1', 'x', person('ada')), 'denied', 403);
  refused(await make(world, 'op-1', 'x', keyOf('ada', 'op-1')), 'denied', 403);
  refused(await make(world, 'op-1', 'x', { ...person('ada', 'op-1'), via: { kind: 'mcp' } }), 'denied', 403);
  refused(await make(world, 'op-1', 'x', person('ada', 'op-2')), 'invalid_request', 400);
  assert.is(world.events().length, 0);
});

test('bad arguments, a tool key, an add-on that creates nothing, a stale generation and a disabled add-on are refused before anything is sent [WIRE-040]', async () => {
  const world = await World.open();
  refused(await make(world, 'op-1', ''), 'invalid_request', 400);
  const raw = (text: string) =>
    world.proposals.createResource(local('op-1'), {
      value: { addonId: 'tables', operationId: 'op-1', generation: 1, arguments: { name: 'x' } },
      rawArguments: text,
    });
  for (const text of [
    '{"name":"x","tool":"create-database"}',
    '{"name":"x","Tool":"y"}',
    '{"name":"x","name":"y"}',
    '[]',
    '{"name":"x","more":1}',
  ])
    refused(await raw(text), 'invalid_request', 400);
  refused(await world.createDatabase(local('op-1'), 'op-1', { name: 'x' }, 2), 'stale', 409);
  refused(await world.createDatabase(local('op-1'), 'op-1', { name: 'x' }, 0), 'invalid_request', 400);
  const bare = installedTables();
  world.installed = {
    ...bare,
    manifest: { ...bare.manifest, capabilities: { ...bare.manifest.capabilities, resources: {} } },
  };
  refused(await make(world, 'op-1'), 'invalid_request', 400);
  world.installed = installedTables({ enabled: false });
  refused(await make(world, 'op-1'), 'denied', 403);
  assert.is(world.events().length, 0);
  assert.is(world.addon.previews.length, 0);
});

test('a creation that was not applied leaves no reservation and its id may be used again', async () => {
  const world = await World.open();
  world.addon.up = false;
  refused(await make(world, 'op-1'), 'unavailable', 503);
  world.addon.up = true;
  world.addon.previewFault = { kind: 'refused', message: 'bad name' };
  refused(await make(world, 'op-1'), 'invalid_request', 400);
  world.addon.previewFault = undefined;
  const ends = [
    [{ kind: 'refused', message: 'no' }, 'invalid_request'],
    [{ kind: 'refused', code: 'not_permitted', message: 'no' }, 'not_permitted'],
    [{ kind: 'conflict', message: 'no' }, 'stale'],
    [{ kind: 'conflict', code: 'operation_conflict', message: 'no' }, 'operation_conflict'],
    [{ kind: 'busy', retryAfter: 1 }, 'busy'],
    [{ kind: 'not-sent', message: 'no slot' }, 'unavailable'],
  ] as const;
  for (const [fault, code] of ends) {
    world.addon.applyFaults.push(fault);
    refused(await make(world, 'op-1', `name for ${fault.kind}`), code);
    assert.is(world.store.visible.all(resourceKind).size, 0, fault.kind);
  }
  assert.ok(must(await make(world, 'op-1', 'another name')).created);
});

test('an uncertain creation is an unknown outcome; repeating the call settles it and creates once [WIRE-034]', async () => {
  const world = await World.open();
  world.addon.receiptFault = DOWN;
  world.addon.existsAnswer = 'silent';
  world.addon.applyFaults.push('lost');
  assert.is(refused(await make(world, 'op-1'), 'outcome_unknown', 503).detail?.operationId, 'op-1');
  assert.is(held(world, reservedOf(world)), 'reserved');
  refused(await make(world, 'op-1'), 'outcome_unknown', 503);
  world.addon.receiptFault = undefined;
  const settled = must(await make(world, 'op-1'));
  assert.equal([settled.created, settled.entry.name], [false, 'Books']);
  assert.is(world.addon.applied.get(`create-${settled.entry.resourceId}`)?.times, 1);
});

test('a creation that a crash interrupted is settled at start by receipt or by asking [POLICY-025]', async () => {
  for (const ran of [true, false]) {
    const world = await World.open();
    world.addon.applyFaults.push('hang');
    void make(world, 'op-1');
    await settle();
    const id = reservedOf(world);
    const call = world.addon.applyCalls.at(-1);
    if (ran && call !== undefined) world.addon.perform(call.envelope, call.revision);
    const after = await world.restart();
    assert.is(held(after, id), ran ? 'active' : 'none');
  }
});

test('an uncertain creation in the running process is settled by the pass, and not dropped while it may still arrive', async () => {
  const world = await World.open();
  world.addon.applyFaults.push('dropped');
  refused(await make(world, 'op-1'), 'outcome_unknown');
  const id = reservedOf(world);
  await world.clock.advance(60_000);
  assert.is(held(world, id), 'reserved');
  await world.clock.advance(360_000);
  assert.is(held(world, id), 'none');
});

test('what is remembered of uncertain creations is no more than the open ones, however many were settled', async () => {
  const world = await World.open({ started: false });
  const desk = createDesk(world.context(), () => world.installed);
  const begin = async (operationId: string, fault: 'lost' | 'dropped') => {
    world.addon.applyFaults.push(fault);
    const value = { addonId: 'tables', operationId, generation: 1, arguments: { name: 'Books' } };
    const request = { value, rawArguments: JSON.stringify(value.arguments) };
    refused(await createResource(desk, local(operationId), request), 'outcome_unknown');
    return reservedOf(world);
  };
  const open = await begin('op-open', 'dropped');
  for (let round = 0; round < 40; round += 1)
    assert.is(await settleReservation(desk, await begin(`op-${round}`, 'lost')), 'activated');
  // The last settled one is forgotten at the next hand-over.
  assert.is(desk.uncertainUntil.size, 2);
  assert.ok(desk.uncertainUntil.has(open));
  assert.is(await settleReservation(desk, open), 'kept', 'it may still arrive');
});

test('the list reads names by the inspect tool, few at a time, at most 100 entries', async () => {
  const world = await World.open();
  for (let index = 0; index < 104; index += 1) await world.database(local(), `Book ${index}`);
  world.addon.mostConcurrent = 0;
  const entries = must(await world.proposals.resources(local(), 'tables'));
  assert.is(entries.length, 100);
  assert.equal(
    entries.map(({ name }) => name),
    Array.from({ length: 100 }, (_, index) => `Book ${index}`),
  );
  assert.is(world.addon.mostConcurrent, 2, 'half of the concurrency of 4');
  assert.equal([entries[0]?.role, entries[0]?.sharedWith, entries[0]?.revision], ['owner', 0, { schema: 1, data: 1 }]);
});

test('an add-on that is down, silent or gone costs names only', async () => {
  const world = await World.open();
  const id = await world.database();
  const second = await world.database();
  const fallback = [id, second];
  const names = async () => must(await world.proposals.resources(local(), 'tables')).map(({ name }) => name);
  assert.equal(await names(), ['Books', 'Books']);
  world.addon.up = false;
  assert.equal(await names(), fallback);
  world.addon.up = true;
  world.addon.readFault = 'hang';
  const hanging = names();
  await world.clock.advance(31_000);
  assert.equal(await hanging, fallback);
  world.installed = undefined;
  assert.equal(await names(), fallback);
  refused(await world.proposals.resources(local(), 'Not An Id'), 'invalid_request', 400);
});

test('resources survive a restart and a disabled or uninstalled add-on [POLICY-022]', async () => {
  const world = await World.open();
  const id = await world.database();
  const after = await world.restart();
  after.installed = undefined;
  assert.equal(
    must(await after.proposals.resources(local(), 'tables')).map(({ resourceId }) => resourceId),
    [id],
  );
});

test.run();
