import { insertion, keyOf, local, must, person, refused, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';
import { DOWN, HOUR, stateOf, unknownWorld } from '../../support/unknown-world.js';

const test = suite('unresolved outcomes');

test('the unresolved list is the owner role alone, from the surface, oldest first, without arguments or credentials [RECOVER-021] [RECOVER-022] [RECOVER-023]', async () => {
  const { world, database } = await unknownWorld('dropped', person('ada'));
  const surface = person('ada', database);
  await world.clock.advance(65_000);
  must(
    await world.proposals.resolve(person('ada', 'op-1'), 'op-1', {
      digest: (await viewOf(world, 'op-1')).digest,
      reason: 'r',
    }),
  );
  const second = await world.pending(database, 'op-2', person('ada'));
  world.addon.applyFaults.push('dropped');
  refused(await world.confirm(second, person('ada', 'op-2')), 'outcome_unknown');
  const listed = must(await world.proposals.unresolved(surface, database));
  assert.equal(
    listed.map(({ id, state }) => [id, state]),
    [
      ['op-1', 'abandoned-unknown'],
      ['op-2', 'outcome-unknown'],
    ],
  );
  const first = listed[0];
  assert.equal(
    [first?.proposer.userId, first?.action, first?.effects.count, first?.ageSeconds],
    ['ada', 'write', 2, 65],
  );
  assert.equal(first?.effects.sample, [{ row: 1 }, { row: 2 }]);
  assert.ok(first?.digest !== undefined && first.expiresAt !== undefined);
  for (const entry of listed) {
    assert.not('arguments' in entry);
    assert.not('receipt' in entry);
    assert.not(/session-of|Emma/.test(JSON.stringify(entry)));
  }
  refused(await world.proposals.unresolved(person('ada'), database), 'denied', 403);
  refused(await world.proposals.unresolved(person('ada', 'op-1'), database), 'denied', 403);
  refused(await world.proposals.unresolved(keyOf('ada', database), database), 'denied', 403);
  refused(await world.proposals.unresolved({ ...surface, via: { kind: 'mcp' } }, database), 'denied', 403);
  refused(await world.proposals.unresolved(person('bob', database), database), 'resource_unreachable', 403);
  refused(
    await world.proposals.unresolved({ ...person('root', database), administrator: true }, database),
    'resource_unreachable',
    403,
  );
  refused(await world.proposals.unresolved(person('ada', 'r-none'), 'r-none'), 'resource_unreachable', 403);
});

async function viewOf(world: World, id: string) {
  return must(await world.proposals.proposal(person('ada'), id));
}

test('resolve needs surface, owner role and the digest, which the owner checks itself [RECOVER-024] [RECOVER-025]', async () => {
  const { world, view } = await unknownWorld('dropped', person('ada'));
  const body = { digest: view.digest, reason: 'checked the table by hand' };
  const by = (caller: ReturnType<typeof person>, given = body) => world.proposals.resolve(caller, 'op-1', given);
  refused(await by(person('ada')), 'denied', 403);
  refused(await by(person('ada', 'op-2')), 'denied', 403);
  refused(await by(keyOf('ada', 'op-1')), 'denied', 403);
  refused(await by({ ...person('ada', 'op-1'), via: { kind: 'mcp' } }), 'denied', 403);
  refused(await by(person('bob', 'op-1')), 'denied', 403);
  refused(await by({ ...person('root', 'op-1'), administrator: true }), 'denied', 403);
  refused(await by(person('ada', 'op-1'), { ...body, digest: `sha256:${'0'.repeat(64)}` }), 'digest_mismatch', 409);
  refused(await by(person('ada', 'op-1'), { ...body, reason: 'x'.repeat(513) }), 'invalid_request', 400);
  refused(await by(person('ada', 'op-1'), { ...body, reason: ' ' }), 'invalid_request', 400);
  assert.is((await viewOf(world, 'op-1')).state, 'outcome-unknown');
  must(await by(person('ada', 'op-1'), { ...body, reason: 'é'.repeat(512) }));
});

test('a proposer who does not own the resource cannot resolve [RECOVER-025]', async () => {
  const { world, view } = await unknownWorld('dropped', person('ada'));
  const { resourceKind } = await import('../../../src/projections/kinds/resource.js');
  const states = world.store.ahead.all(resourceKind) as Map<string, unknown>;
  states.set(view.resourceId, {
    ...(states.get(view.resourceId) as object),
    owner: { userId: 'eve', mode: 'named-user' },
  });
  refused(
    await world.proposals.resolve(person('ada', 'op-1'), 'op-1', { digest: view.digest, reason: 'r' }),
    'denied',
    403,
  );
});

test('a resolution is abandoned-unknown with who, when and why, and writes are accepted again [RECOVER-027] [RECOVER-007]', async () => {
  const { world, database, view, noMoreApplies } = await unknownWorld('dropped');
  const reason = 'checked the table by hand';
  const at = world.clock.now().toISOString();
  const resolved = must(await world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason }));
  assert.is(resolved.state, 'abandoned-unknown');
  assert.equal(resolved.resolution, { actorId: 'local-owner', at, reason });
  assert.equal(
    must(await world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason: 'again' })),
    resolved,
  );
  const next = await world.pending(database, 'op-2');
  assert.not('blocked' in next);
  refused(await world.confirm(view), 'proposal_closed', 409);
  noMoreApplies();
});

test('a final receipt found at resolve settles the proposal instead [RECOVER-026]', async () => {
  const { world, view } = await unknownWorld('lost');
  world.addon.receiptFault = undefined;
  const settled = must(await world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason: 'r' }));
  assert.is(settled.state, 'applied');
  assert.not('resolution' in settled);
});

test('what was never handed over cannot be resolved', async () => {
  const world = await World.open();
  const view = await world.pending(await world.database(), 'op-1');
  refused(
    await world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason: 'r' }),
    'proposal_closed',
    409,
  );
  assert.is(await stateOf(world, 'op-1'), 'pending');
});

test('an abandoned operation is looked up for a day, and a late receipt is recorded with the resolution kept [RECOVER-028] [RECOVER-029]', async () => {
  const { world, database, view } = await unknownWorld('dropped');
  const resolve = () => world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason: 'r' });
  const { resolution } = must(await resolve());
  const call = world.addon.applyCalls.at(-1);
  if (call === undefined) throw new Error('no call');
  world.addon.perform(call.envelope, call.revision);
  await world.clock.advance(23 * HOUR);
  assert.is(await stateOf(world, 'op-1'), 'abandoned-unknown');
  world.addon.receiptFault = undefined;
  await world.clock.advance(60_000);
  const late = must(await world.proposals.proposal(local(), 'op-1'));
  assert.is(late.state, 'applied');
  assert.equal(late.resolution, resolution);
  assert.is(late.receipt?.state, 'committed');
  must(await world.propose(local(), insertion(database, 'op-2')));
});

test('after a day only reconcile finds the late receipt of an abandoned operation [RECOVER-028] [RECOVER-029]', async () => {
  const { world, view } = await unknownWorld('lost');
  must(await world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason: 'r' }));
  await world.clock.advance(25 * HOUR);
  const before = world.addon.lookups.length;
  world.addon.receiptFault = undefined;
  await world.clock.advance(5 * HOUR);
  assert.is(world.addon.lookups.length, before);
  const late = must(await world.proposals.reconcile(local(), 'op-1'));
  assert.equal([late.state, late.resolution?.reason], ['applied', 'r']);
});

test('an abandoned record stays 30 days, survives a restart, and is then erased [RECOVER-030]', async () => {
  const { world, view } = await unknownWorld('dropped');
  must(await world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason: 'r' }));
  await world.clock.advance(29 * 24 * HOUR);
  const after = await world.restart();
  assert.is(await stateOf(after, 'op-1'), 'abandoned-unknown');
  await after.clock.advance(25 * HOUR);
  refused(await after.proposals.proposal(local(), 'op-1'), 'denied');
});

test('after a resolve, a change prepared against the older revision is rejected when the unknown one did run [RECOVER-031]', async () => {
  const world = await World.open();
  const database = await world.database();
  const view = await world.pending(database, 'op-1');
  const older = await world.pending(database, 'op-2');
  world.addon.receiptFault = DOWN;
  world.addon.applyFaults.push('lost');
  refused(await world.confirm(view), 'outcome_unknown');
  must(await world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason: 'r' }));
  const data = { ...world.addon.data.get(database) };
  assert.is(must(await world.confirm(older)).state, 'rejected');
  assert.equal(world.addon.data.get(database), data);
});

test.run();
