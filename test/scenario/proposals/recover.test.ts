/** Unknown outcomes: blocked, looked up, kept through faults, and never submitted again. */
import { proposalKind } from '../../../src/projections/kinds/proposal.js';
import { insertion, local, must, person, refused, settle, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';
import { DOWN, HOUR, stateOf, unknownWorld } from '../../support/unknown-world.js';

const test = suite('unknown outcomes');

test('reconcile looks the receipt up, records it, can be repeated and changes nothing at the add-on [RECOVER-012] [RECOVER-019] [RECOVER-020]', async () => {
  const { world, database, noMoreApplies } = await unknownWorld('lost');
  refused(await world.proposals.reconcile(local(), 'op-1'), 'outcome_unknown', 503);
  world.addon.receiptFault = undefined;
  const data = { ...world.addon.data.get(database) };
  const settled = must(await world.proposals.reconcile(local(), 'op-1'));
  assert.equal([settled.state, settled.receipt?.state], ['applied', 'committed']);
  assert.equal(must(await world.proposals.reconcile(local(), 'op-1')), settled);
  assert.equal(must(await world.confirm(settled)), settled);
  assert.equal(world.addon.data.get(database), data);
  noMoreApplies();
  must(await world.propose(local(), insertion(database, 'op-2')));
});

test('a rejected receipt settles as rejected [RECOVER-012]', async () => {
  const { world, database } = await unknownWorld('dropped');
  world.addon.applied.set('op-1', {
    receipt: { operationId: 'op-1', state: 'rejected', revision: { schema: 1, data: 1 } },
    times: 1,
  });
  world.addon.receiptFault = undefined;
  assert.is(must(await world.proposals.reconcile(local(), 'op-1')).state, 'rejected');
  must(await world.propose(local(), insertion(database, 'op-2')));
});

test('a missing, pending, unknown or foreign receipt leaves the outcome unknown [RECOVER-013] [WIRE-023]', async () => {
  const { world } = await unknownWorld('dropped');
  world.addon.receiptFault = undefined;
  assert.is(must(await world.proposals.reconcile(local(), 'op-1')).state, 'outcome-unknown');
  const revision = { schema: 1, data: 1 };
  for (const receipt of [
    { operationId: 'op-1', state: 'pending' as const, revision },
    { operationId: 'op-1', state: 'unknown' as const, revision },
    { operationId: 'op-2', state: 'committed' as const, revision },
    { operationId: 'op-1', state: 'committed' as const, revision: { schema: 0, data: 0 } },
  ]) {
    world.addon.applied.set('op-1', { receipt, times: 1 });
    assert.is(must(await world.proposals.reconcile(local(), 'op-1')).state, 'outcome-unknown');
  }
});

test('an unresolved outcome denies further proposals and confirmations on its resource alone, and reads go on [RECOVER-014] [RECOVER-015] [RECOVER-016]', async () => {
  const world = await World.open();
  const [database, other] = [await world.database(), await world.database()];
  const view = await world.pending(database, 'op-1');
  const waiting = await world.pending(database, 'op-2');
  world.addon.receiptFault = DOWN;
  world.addon.applyFaults.push('dropped');
  refused(await world.confirm(view), 'outcome_unknown');
  const applies = world.addon.applyCalls.length;
  const proposing = refused(await world.propose(local(), insertion(database, 'op-3')), 'outcome_blocked', 403);
  assert.is(proposing.detail?.blockedBy, 'op-1');
  const confirming = refused(await world.confirm(waiting), 'outcome_blocked', 403);
  assert.is(confirming.detail?.blockedBy, 'op-1');
  const shown = must(await world.proposals.proposal(local(), 'op-2'));
  assert.equal([shown.state, shown.blocked, shown.blockedBy], ['pending', true, 'op-1']);
  assert.is(world.addon.applyCalls.length, applies);
  const value = {
    addonId: 'tables',
    resourceId: database,
    operationId: 'q',
    generation: 1,
    action: 'read',
    arguments: {},
  };
  must(await world.proposals.read(local(), { value, rawArguments: '{"tool":"query"}' }));
  must(await world.propose(local(), insertion(other, 'op-4')));
});

test('who is not the owner of the resource gets the plain denial and never learns the other id [RECOVER-016]', async () => {
  const { world, database } = await unknownWorld('dropped', person('ada'));
  const answer = refused(await world.propose(person('bob'), insertion(database, 'op-2')), 'resource_unreachable', 403);
  assert.not(JSON.stringify(answer).includes('op-1'));
  const { blockedRefusal } = await import('../../../src/commands/proposals/blocking.js');
  const plain = blockedRefusal(world.store.visible, person('bob').actor, database, 'op-1');
  assert.is(plain.refusal, 'denied');
  assert.not(JSON.stringify(plain).includes('op-1'));
  const states = world.store.visible.all(proposalKind) as Map<string, unknown>;
  const mine = states.get('op-1') as { record: object };
  const bobs = {
    ...mine.record,
    operationId: 'op-b',
    proposer: { userId: 'bob', credentialId: 'c', mode: 'named-user' },
  };
  states.set('op-b', { state: 'pending', record: bobs, position: 99 });
  const view = must(await world.proposals.proposal(person('bob'), 'op-b'));
  assert.is(view.blocked, true);
  assert.not('blockedBy' in view);
});

test('automatic lookups back off from 250 ms to 30 s and end with the window after the hand-over [RECOVER-018]', async () => {
  const { world, noMoreApplies } = await unknownWorld('dropped');
  world.addon.receiptFault = undefined;
  const before = world.addon.lookups.length;
  await world.clock.advance(250);
  assert.is(world.addon.lookups.length - before, 1);
  await world.clock.advance(499);
  assert.is(world.addon.lookups.length - before, 1);
  await world.clock.advance(1);
  assert.is(world.addon.lookups.length - before, 2);
  await world.clock.advance(120_000);
  const early = world.addon.lookups.length;
  await world.clock.advance(60_000);
  assert.is(world.addon.lookups.length - early, 2, 'every 30 s by now');
  await world.clock.advance(180_000 + 60_000);
  const last = world.addon.lookups.length;
  await world.clock.advance(HOUR);
  assert.is(world.addon.lookups.length, last, 'no more after apply timeout and five minutes');
  assert.is(must(await world.proposals.reconcile(local(), 'op-1')).state, 'outcome-unknown');
  assert.is(world.addon.lookups.length, last + 1, 'an explicit lookup still runs');
  noMoreApplies();
});

test('a receipt that an automatic lookup finds settles the proposal and lifts the block [RECOVER-019]', async () => {
  const { world, database } = await unknownWorld('lost');
  refused(await world.propose(local(), insertion(database, 'op-2')), 'outcome_blocked');
  world.addon.receiptFault = undefined;
  await world.clock.advance(2_000);
  assert.is(await stateOf(world, 'op-1'), 'applied');
  assert.equal(world.events('proposal-op-1').slice(-2), ['ReceiptLookedUp', 'ProposalApplied']);
  must(await world.propose(local(), insertion(database, 'op-2')));
});

test('a restart while executing makes the outcome unknown; start settles it by receipt and never applies [RECOVER-011] [RECOVER-017]', async () => {
  for (const ran of [true, false]) {
    const world = await World.open();
    const database = await world.database();
    const view = await world.pending(database, 'op-1');
    world.addon.applyFaults.push('hang');
    void world.confirm(view);
    await settle();
    assert.is(await stateOf(world, 'op-1'), 'executing');
    const call = world.addon.applyCalls.at(-1);
    if (ran && call !== undefined) world.addon.perform(call.envelope, call.revision);
    const applies = world.addon.applyCalls.length;
    const after = await world.restart();
    assert.is(await stateOf(after, 'op-1'), ran ? 'applied' : 'outcome-unknown');
    assert.is(after.addon.applyCalls.length, applies);
    if (!ran) refused(await after.confirm(view), 'outcome_unknown', 503);
    assert.is(after.addon.applyCalls.length, applies);
  }
});

test('a lookup that start owes is made when the add-on serves, however long that takes [RECOVER-017]', async () => {
  const { world } = await unknownWorld('lost');
  world.addon.up = false;
  const after = await world.restart();
  await after.clock.advance(HOUR);
  after.addon.receiptFault = undefined;
  assert.is(await stateOf(after, 'op-1'), 'outcome-unknown');
  after.addon.turn(true);
  await settle();
  assert.is(await stateOf(after, 'op-1'), 'applied');
});

test('an outcome that could not be recorded is kept, answered as unknown, and recorded later without another apply [RECOVER-004]', async () => {
  const world = await World.open();
  const database = await world.database();
  const view = await world.pending(database, 'op-1');
  let full = false;
  world.storage.shortage = () => (full ? { path: '/x', freeBytes: 1, neededBytes: 2 } : undefined);
  world.addon.onApply = () => {
    full = true;
  };
  refused(await world.confirm(view), 'outcome_unknown', 503);
  assert.is(await stateOf(world, 'op-1'), 'executing');
  refused(await world.propose(local(), insertion(database, 'op-2')), 'outcome_blocked', 403);
  full = false;
  await world.clock.advance(1_000);
  assert.is(await stateOf(world, 'op-1'), 'applied');
  assert.is(world.addon.applied.get('op-1')?.times, 1);
});

test('an outcome whose recording met a fault is kept and recorded by the next lookup [RECOVER-004]', async () => {
  const world = await World.open();
  const view = await world.pending(await world.database(), 'op-1');
  let faulty = false;
  world.storage.shortage = () => {
    if (faulty) throw new Error('the file system did not answer');
    return undefined;
  };
  world.addon.onApply = () => {
    faulty = true;
  };
  const fault = await world.confirm(view).catch((error: unknown) => String(error));
  assert.match(String(fault), 'did not answer');
  faulty = false;
  await world.clock.advance(1_000);
  assert.is(await stateOf(world, 'op-1'), 'applied');
  assert.is(world.addon.applied.get('op-1')?.times, 1);
});

test('a rejection before the hand-over that finds no room is forgotten, and judged anew with space', async () => {
  const world = await World.open();
  const view = await world.pending(await world.database(), 'op-1');
  world.installed = undefined;
  world.storage.shortage = () => ({ path: '/x', freeBytes: 1, neededBytes: 2 });
  refused(await world.confirm(view), 'insufficient_storage', 503);
  assert.is(world.proposals.desk.unrecorded.size, 0);
  world.storage.shortage = () => undefined;
  assert.is(must(await world.confirm(view)).state, 'rejected');
});

test('a lookup that meets a fault is not the last one [RECOVER-018]', async () => {
  const { world } = await unknownWorld('lost');
  world.addon.receiptFault = undefined;
  let faults = 0;
  world.storage.shortage = () => {
    faults += 1;
    if (faults === 1) throw new Error('the file system did not answer');
    return undefined;
  };
  await world.clock.advance(250);
  assert.is(await stateOf(world, 'op-1'), 'outcome-unknown');
  await world.clock.advance(500);
  assert.is(await stateOf(world, 'op-1'), 'applied');
});

test('a full disk before the hand-over leaves the proposal pending and sends nothing [RECOVER-003]', async () => {
  const world = await World.open();
  const view = await world.pending(await world.database(), 'op-1');
  const applies = world.addon.applyCalls.length;
  world.storage.shortage = () => ({ path: '/x', freeBytes: 1, neededBytes: 2 });
  refused(await world.confirm(view), 'insufficient_storage', 503);
  assert.is(world.addon.applyCalls.length, applies);
  world.storage.shortage = () => undefined;
  must(await world.confirm(view));
});

test.run();
