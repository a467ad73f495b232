/** Creating a resource by proposal: reserved, invisible, activated by the receipt, dropped when it never came to be. */
import { right } from '../../../src/contract/fp.js';
import { resourceKind } from '../../../src/projections/kinds/resource.js';
import {
  creation,
  insertion,
  installedTables,
  local,
  must,
  person,
  refused,
  settle,
  World,
} from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('creation proposals');
const DOWN = { kind: 'outage' as const, message: 'down' };

const listed = async (world: World, caller = local()) =>
  must(await world.proposals.resources(caller, 'tables')).map(({ resourceId }) => resourceId);
const held = (world: World, id: string) => world.store.visible.get(resourceKind, id).state;

async function proposed(caller = local(), name = 'Books') {
  const world = await World.open();
  const { proposal } = must(await world.propose(caller, creation('op-1', name)));
  return { world, proposal, resource: proposal.resourceId };
}

/** A creation whose outcome is unknown; lookups fail until the test allows them. */
async function uncertain(fault: 'lost' | 'dropped') {
  const { world, proposal, resource } = await proposed();
  world.addon.receiptFault = DOWN;
  world.addon.existsAnswer = 'silent';
  world.addon.applyFaults.push(fault);
  refused(await world.confirm(proposal), 'outcome_unknown', 503);
  return { world, proposal, resource };
}

test('a creation is a proposal with a reserved, invisible resource, and the preview creates nothing [CREATE-001] [CREATE-003] [CREATE-004] [POLICY-024]', async () => {
  const { world, proposal, resource } = await proposed();
  assert.equal([proposal.state, proposal.action, proposal.tool], ['pending', 'create', 'create-database']);
  assert.match(resource, /^[a-z][a-z0-9-]{0,39}$/);
  assert.is(held(world, resource), 'reserved');
  assert.equal(await listed(world), []);
  refused(await world.propose(local(), insertion(resource, 'op-2')), 'resource_unreachable');
  const value = {
    addonId: 'tables',
    resourceId: resource,
    operationId: 'q',
    generation: 1,
    action: 'read',
    arguments: {},
  };
  refused(await world.proposals.read(local(), { value, rawArguments: '{"tool":"query"}' }), 'resource_unreachable');
  const preview = world.addon.previews.at(-1);
  assert.equal([preview?.request.resourceId, preview?.request.operationId], [resource, `create-${resource}`]);
  assert.is(world.addon.data.size, 0);
  assert.is(world.events(`resource-${resource}`)[0], 'ResourceReserved');
});

test('the reservation is durable before the add-on is asked for the preview [POLICY-024] [CREATE-003]', async () => {
  const world = await World.open();
  let seen: readonly string[] = [];
  world.addon.onPreview = () => {
    seen = world.events();
  };
  must(await world.propose(local(), creation('op-1')));
  assert.equal(seen, ['ResourceReserved']);
});

test('what the person sees of a creation is composed by the owner [CREATE-005]', async () => {
  const world = await World.open();
  world.addon.summary = { count: 99, sample: [{ name: 'Something harmless' }] };
  const { proposal } = must(await world.propose(local(), creation('op-1', 'Books')));
  assert.equal(proposal.effects, { count: 1, sample: [{ name: 'Books' }] });
});

test('creation needs an add-on that is installed and enabled, and a declared create tool [CREATE-002] [POLICY-023]', async () => {
  const world = await World.open();
  world.installed = installedTables({ enabled: false });
  refused(await world.propose(local(), creation('op-1')), 'denied', 403);
  world.installed = installedTables({ changing: true });
  refused(await world.propose(local(), creation('op-1')), 'proposal_unavailable', 503);
  world.installed = installedTables();
  refused(
    await world.propose(local(), { ...creation('op-1'), arguments: { tool: 'make-it', name: 'x' } }),
    'denied',
    403,
  );
  refused(
    await world.propose(local(), { ...creation('op-1'), arguments: { tool: 'insert-rows', rows: [] } }),
    'invalid_request',
    400,
  );
  refused(await world.propose(local(), { ...creation('op-1'), arguments: { name: 'x' } }), 'invalid_request', 400);
  refused(await world.propose(local(), { ...creation('op-1'), resourceId: 'r-mine' }), 'invalid_request', 400);
  assert.is(world.events().length, 0);
});

test('a committed creation makes the proposer, and nobody else, its owner [CREATE-008] [POLICY-008]', async () => {
  const { world, proposal, resource } = await proposed(person('ada'));
  const done = must(await world.confirm(proposal, person('ada', 'op-1')));
  assert.equal([done.state, done.resourceId], ['applied', resource]);
  assert.equal(await listed(world, person('ada')), [resource]);
  assert.equal(await listed(world, person('bob')), []);
  assert.is(must(await world.proposals.resources(person('ada'), 'tables'))[0]?.role, 'owner');
  must(await world.propose(person('ada'), insertion(resource, 'op-2')));
});

test('the operation id of a creation is create- and the reserved id, so a repeat is one operation [CREATE-007]', async () => {
  const { world, proposal, resource } = await proposed();
  must(await world.confirm(proposal));
  must(await world.confirm(proposal));
  assert.equal(
    world.addon.applyCalls.map(({ envelope }) => envelope.request.operationId),
    [`create-${resource}`],
  );
});

test('confirming checks the creation authority again [CREATE-006]', async () => {
  const { world, proposal } = await proposed();
  world.installed = installedTables({ enabled: false });
  refused(await world.confirm(proposal), 'denied', 403);
  assert.is(world.addon.applyCalls.length, 0);
  world.installed = installedTables();
  must(await world.confirm(proposal));
});

test('cancelling, expiry, a rejection and a changed generation drop the reservation [CREATE-009] [POLICY-031]', async () => {
  for (const end of ['cancel', 'expire', 'reject', 'refuse', 'stale'] as const) {
    const { world, proposal, resource } = await proposed();
    if (end === 'cancel') must(await world.proposals.cancel(local(), 'op-1'));
    if (end === 'expire') await world.clock.advance(300_000);
    if (end === 'reject') {
      world.addon.applyFaults.push({ kind: 'conflict', message: 'the name is taken' });
      assert.is(must(await world.confirm(proposal)).state, 'rejected');
    }
    if (end === 'refuse') {
      world.addon.applyFaults.push({ kind: 'refused', message: 'bad name' });
      refused(await world.confirm(proposal), 'invalid_request');
    }
    if (end === 'stale') {
      world.installed = installedTables({ generation: 2 });
      assert.is(must(await world.confirm(proposal)).state, 'rejected');
      world.installed = installedTables();
    }
    assert.is(held(world, resource), 'none', end);
    assert.equal(await listed(world), []);
  }
});

test('a refused or silent preview drops the reservation and leaves no proposal', async () => {
  const world = await World.open();
  for (const fault of [{ kind: 'refused' as const, message: 'bad name' }, DOWN]) {
    world.addon.previewFault = fault;
    assert.is((await world.propose(local(), creation('op-1')))._tag, 'Left');
  }
  assert.equal(world.events(), ['ResourceReserved', 'ReservationDropped', 'ResourceReserved', 'ReservationDropped']);
  world.addon.previewFault = undefined;
  assert.ok(must(await world.propose(local(), creation('op-1'))).created);
});

test('reservations count: 8 pending for each person, and a place is free again when one is dropped [CREATE-003] [POLICY-030] [POLICY-031]', async () => {
  const world = await World.open();
  for (let index = 0; index < 8; index += 1) must(await world.propose(local(), creation(`op-${index}`)));
  const full = refused(await world.propose(local(), creation('op-more')), 'quota_reached', 403);
  assert.is(full.detail?.code, 'resources_pending_per_user');
  must(await world.propose(person('ada'), creation('op-ada')));
  must(await world.proposals.cancel(local(), 'op-0'));
  must(await world.propose(local(), creation('op-more')));
});

test('an uncertain creation keeps both, and one receipt lookup settles both [CREATE-010]', async () => {
  const { world, resource } = await uncertain('lost');
  assert.is(must(await world.proposals.proposal(local(), 'op-1')).state, 'outcome-unknown');
  assert.is(held(world, resource), 'reserved');
  assert.equal(await listed(world), []);
  world.addon.receiptFault = undefined;
  assert.is(must(await world.proposals.reconcile(local(), 'op-1')).state, 'applied');
  assert.is(held(world, resource), 'active');
  assert.equal(world.events(`resource-${resource}`), ['ResourceReserved', 'ResourceActivated']);
});

test('a proposer who stops waiting drops the reservation only when the add-on says that nothing exists [CREATE-011]', async () => {
  for (const [fault, answer, state] of [
    ['dropped', 'truth', 'none'],
    ['dropped', 'silent', 'reserved'],
    ['lost', 'truth', 'reserved'],
  ] as const) {
    const { world, proposal, resource } = await uncertain(fault);
    world.addon.existsAnswer = answer;
    const body = { digest: proposal.digest, reason: 'no answer' };
    assert.is(must(await world.proposals.resolve(local('op-1'), 'op-1', body)).state, 'abandoned-unknown');
    assert.is(held(world, resource), state, `${fault} ${answer}`);
    const asked = world.addon.reads.at(-1);
    assert.equal(asked?.request.arguments, { tool: 'resource-exists' });
    assert.is(asked?.authority.actor.credentialId, 'owner-recovery');
  }
});

test('two who stop waiting at the same time drop the reservation once [CREATE-011]', async () => {
  const { world, proposal, resource } = await uncertain('dropped');
  let answer = () => {};
  const gate = new Promise<void>((resume) => (answer = resume));
  const current = world.addon.current.bind(world.addon);
  world.addon.current = (addonId, generation) => {
    const client = current(addonId, generation);
    if (client._tag === 'Left') return client;
    const read = () => gate.then(() => right({ payload: { exists: false } }));
    return right({ ...client.right, read });
  };
  const body = { digest: proposal.digest, reason: 'no answer' };
  const both = [1, 2].map(() => world.proposals.resolve(local('op-1'), 'op-1', body));
  await settle();
  answer();
  for (const one of await Promise.all(both)) assert.is(must(one).state, 'abandoned-unknown');
  assert.equal(world.events(`resource-${resource}`), ['ResourceReserved', 'ReservationDropped']);
});

test('somebody else cannot resolve an unknown creation [CREATE-011] [RECOVER-025]', async () => {
  const { world, proposal } = await uncertain('dropped');
  const body = { digest: proposal.digest, reason: 'r' };
  refused(await world.proposals.resolve(person('bob', 'op-1'), 'op-1', body), 'denied', 403);
});

test('at start unknown and executing creations are settled by asking, pending ones stay [CREATE-012] [POLICY-025]', async () => {
  for (const ran of [true, false]) {
    const { world, proposal, resource } = await proposed();
    const { proposal: waiting } = must(await world.propose(local(), creation('op-2', 'Other')));
    world.addon.applyFaults.push('hang');
    void world.confirm(proposal);
    await settle();
    const call = world.addon.applyCalls.at(-1);
    if (ran && call !== undefined) world.addon.data.set(resource, { schema: 1, data: 1 });
    const after = await world.restart();
    assert.is(held(after, resource), ran ? 'active' : 'none');
    assert.is(held(after, waiting.resourceId), 'reserved');
    assert.is(after.addon.applyCalls.length, 1);
  }
});

test('a receipt at start settles proposal and reservation together [CREATE-012] [CREATE-010]', async () => {
  const { world, resource } = await uncertain('lost');
  world.addon.receiptFault = undefined;
  const after = await world.restart();
  assert.is(must(await after.proposals.proposal(local(), 'op-1')).state, 'applied');
  assert.is(held(after, resource), 'active');
});

test('an add-on that cannot answer keeps the record pending, hidden and counted, and the pass goes on with others [POLICY-026] [POLICY-027]', async () => {
  const { world, resource } = await uncertain('lost');
  const after = await world.restart();
  assert.is(held(after, resource), 'reserved');
  assert.equal(await listed(after), []);
  assert.ok(after.log.some(({ level, fields }) => level === 'warn' && 'kept' in fields && fields.kept === 1));
  after.addon.receiptFault = undefined;
  after.addon.existsAnswer = 'truth';
  await after.clock.advance(30_000);
  assert.is(held(after, resource), 'active');
});

test('the pass repeats every 30 seconds while a record is pending, and closing ends it [POLICY-028]', async () => {
  const { world, resource } = await uncertain('lost');
  await world.clock.advance(600_000);
  const asks = () => world.addon.reads.filter(({ request }) => request.arguments.tool === 'resource-exists').length;
  const before = asks();
  await world.clock.advance(90_000);
  assert.is(asks() - before, 3);
  world.addon.existsAnswer = 'truth';
  await world.clock.advance(30_000);
  assert.is(held(world, resource), 'active');
  const last = asks();
  await world.clock.advance(90_000);
  assert.is(asks(), last);
  await world.proposals.close();
});

test('a reconciliation never touches the reservation of a creation that runs in this process [CREATE-013]', async () => {
  const { world, proposal, resource } = await proposed();
  const { settleReservation, settleReservations } = await import('../../../src/commands/resources/reservations.js');
  let go: (() => void) | undefined;
  world.addon.onApply = () => new Promise<void>((open) => (go = open));
  const confirming = world.confirm(proposal);
  await settle();
  await settleReservations(world.proposals.desk);
  assert.is(held(world, resource), 'reserved');
  go?.();
  assert.is(must(await confirming).state, 'applied');
  assert.is(held(world, resource), 'active');
  let preview: (() => void) | undefined;
  world.addon.onPreview = () => new Promise<void>((open) => (preview = open));
  const proposing = world.propose(local(), creation('op-2'));
  await settle();
  const [inPreview = ''] = [...world.store.visible.all(resourceKind).keys()].slice(-1);
  await settleReservations(world.proposals.desk);
  assert.is(await settleReservation(world.proposals.desk, inPreview), 'kept');
  preview?.();
  const second = must(await proposing).proposal;
  assert.is(held(world, second.resourceId), 'reserved');
});

test('a late arrival is not lost: nothing is dropped on a "no" while the call may still be on its way', async () => {
  const { world, resource } = await uncertain('dropped');
  world.addon.existsAnswer = 'truth';
  await world.clock.advance(60_000);
  assert.is(held(world, resource), 'reserved');
  const call = world.addon.applyCalls.at(-1);
  if (call !== undefined) world.addon.perform(call.envelope, call.revision);
  world.addon.receiptFault = undefined;
  await world.clock.advance(60_000);
  assert.is(must(await world.proposals.proposal(local(), 'op-1')).state, 'applied');
  assert.is(held(world, resource), 'active');
});

test('a reservation whose proposal a crash prevented is dropped at start without asking', async () => {
  const world = await World.open();
  world.addon.previewFault = 'hang';
  void world.propose(local(), creation('op-1'));
  await settle();
  assert.equal(world.events(), ['ResourceReserved']);
  world.addon.up = false;
  const after = await world.restart();
  assert.equal(after.events(), ['ResourceReserved', 'ReservationDropped']);
});

test.run();
