/** Bounds on stored proposals, what is dropped for room, retention, and lists. */
import fc from 'fast-check';
import type { ProposalRecord } from '../../../src/aggregates/proposal.js';
import { makeRoom, STORE_PROPOSALS, USER_PROPOSALS } from '../../../src/commands/proposals/room.js';
import { isLeft } from '../../../src/contract/fp.js';
import { proposalKind } from '../../../src/projections/kinds/proposal.js';
import { OwnerState } from '../../../src/projections/owner-state.js';
import { insertion, local, must, person, refused, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('bounds of proposals');
const HOUR = 3_600_000;
const MIB = 1_048_576;

test('one person holds 32 live proposals, pending and unresolved, and the denial names the bound [PROPOSAL-041] [PROPOSAL-044]', async () => {
  const world = await World.open();
  const [database, other] = [await world.database(), await world.database()];
  for (let index = 0; index < 31; index += 1) await world.pending(database, `op-${index}`);
  const view = await world.pending(other, 'op-unknown');
  world.addon.receiptFault = { kind: 'outage', message: 'down' };
  world.addon.applyFaults.push('dropped');
  refused(await world.confirm(view), 'outcome_unknown');
  const previews = world.addon.previews.length;
  const full = refused(await world.propose(local(), insertion(database, 'op-more')), 'quota_reached', 403);
  assert.is(full.detail?.code, 'proposals_per_user');
  assert.is(world.addon.previews.length, previews);
  must(await world.proposals.cancel(local(), 'op-0'));
  must(await world.propose(local(), insertion(database, 'op-more')));
  await world.clock.advance(300_000);
  must(await world.propose(local(), insertion(database, 'op-later')));
});

test('one person holds 16 MiB of arguments across live proposals [PROPOSAL-041]', async () => {
  const world = await World.open();
  const database = await world.database();
  const big = (id: string) => insertion(database, id, { rows: [], note: 'x'.repeat(6 * MIB) });
  must(await world.propose(local(), big('op-1')));
  must(await world.propose(local(), big('op-2')));
  assert.is(
    refused(await world.propose(local(), big('op-3')), 'quota_reached', 403).detail?.code,
    'argument_bytes_per_user',
  );
  must(await world.proposals.cancel(local(), 'op-1'));
  must(await world.propose(local(), big('op-3')));
});

// ---- the room planner on its own ---------------------------------------------------------------------------

const AT = Date.UTC(2026, 0, 1);
const ref = `sha256:${'a'.repeat(64)}`;

interface Kept {
  readonly user: string;
  readonly state: string;
  readonly bytes: number;
  readonly resolved?: boolean;
}

function stateOf(kept: readonly Kept[]): OwnerState {
  const state = new OwnerState([proposalKind]);
  const all = state.all(proposalKind) as Map<string, unknown>;
  kept.forEach(({ user, state: name, bytes, resolved }, index) => {
    const record = {
      operationId: `op-${index}`,
      proposer: { userId: user, credentialId: 'c', mode: 'named-user' },
      argumentsBytes: bytes,
      expiresAt: new Date(AT + HOUR).toISOString(),
      argumentsRef: ref,
      sampleRef: ref,
    } as unknown as ProposalRecord;
    const settled = ['cancelled', 'expired', 'applied', 'rejected'].includes(name) ? { settledAt: 'x' } : {};
    const resolution =
      resolved === true || name === 'abandoned-unknown' ? { resolution: { actorId: 'x', at: 'x', reason: 'x' } } : {};
    all.set(record.operationId, { state: name, record, position: index + 1, ...settled, ...resolution });
  });
  return state;
}

const room = (kept: readonly Kept[], user: string, bytes = 1) =>
  makeRoom(stateOf(kept), { userId: user, credentialId: 'c', mode: 'named-user' }, bytes, new Date(AT).toISOString());

const many = (count: number, one: Kept): Kept[] => Array.from({ length: count }, () => one);

test('the store holds 1024 proposals and 64 MiB; the bound that was reached is named [PROPOSAL-042] [PROPOSAL-044]', () => {
  const live = Array.from({ length: STORE_PROPOSALS }, (_, index) => ({
    user: `u${index % 40}`,
    state: 'pending',
    bytes: 1,
  }));
  const full = room(live, 'new');
  assert.ok(isLeft(full) && full.left.detail?.code === 'proposals_total');
  assert.ok(!isLeft(room(live.slice(1), 'new')));
  const heavy = Array.from({ length: 4 }, (_, index) => ({ user: `u${index}`, state: 'pending', bytes: 16 * MIB }));
  const bytes = room(heavy, 'new');
  assert.ok(isLeft(bytes) && bytes.left.detail?.code === 'argument_bytes_total');
});

test('the own bound is checked before the one of the store [PROPOSAL-043]', () => {
  const live = [
    ...many(USER_PROPOSALS, { user: 'ada', state: 'pending', bytes: 1 }),
    ...Array.from({ length: STORE_PROPOSALS - USER_PROPOSALS }, (_, index) => ({
      user: `u${index % 40}`,
      state: 'pending',
      bytes: 1,
    })),
  ];
  const answer = room(live, 'ada');
  assert.ok(isLeft(answer) && answer.left.detail?.code === 'proposals_per_user');
});

test('room is made from settled proposals only, the own ones first and then the oldest [PROPOSAL-045]', () => {
  const kept = [
    { user: 'bob', state: 'applied', bytes: 1 },
    { user: 'bob', state: 'pending', bytes: 1 },
    { user: 'ada', state: 'rejected', bytes: 1 },
    ...Array.from({ length: STORE_PROPOSALS - 3 }, (_, index) => ({
      user: `u${index % 40}`,
      state: 'pending',
      bytes: 1,
    })),
  ];
  assert.equal(must(room(kept, 'ada')), ['op-2']);
  assert.equal(must(room(kept, 'eve')), ['op-0']);
});

test('no live, abandoned or resolved proposal is ever dropped for room [PROPOSAL-045] [RECOVER-030]', () => {
  const states = [
    'pending',
    'executing',
    'outcome-unknown',
    'abandoned-unknown',
    'applied',
    'rejected',
    'cancelled',
    'expired',
  ];
  const one = fc.record({
    user: fc.constantFrom('ada', 'bob', 'eve'),
    state: fc.constantFrom(...states),
    bytes: fc.integer({ min: 0, max: 2 * MIB }),
    resolved: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 120 }), fc.integer({ min: 0, max: 16 * MIB }), (kept, bytes) => {
      const answer = room(kept, 'ada', bytes);
      if (isLeft(answer)) return;
      const dropped = answer.right.map((id) => kept[Number(id.slice(3))]);
      for (const gone of dropped) {
        assert.ok(['applied', 'rejected', 'cancelled', 'expired'].includes(gone?.state ?? ''));
        assert.not(gone?.resolved);
      }
      const left =
        kept.reduce((sum, { bytes: size }) => sum + size, 0) -
        dropped.reduce((sum, gone) => sum + (gone?.bytes ?? 0), 0);
      assert.ok(left + bytes <= 64 * MIB);
    }),
    { numRuns: 300 },
  );
});

test('a settled proposal answers its repeat for 24 hours and is then erased, its id staying used [PROPOSAL-046]', async () => {
  const world = await World.open();
  const database = await world.database();
  const view = await world.pending(database, 'op-1');
  const done = must(await world.confirm(view));
  const state = world.store.visible.get(proposalKind, 'op-1');
  if (state.state !== 'applied') throw new Error('not applied');
  await world.clock.advance(23 * HOUR);
  const again = must(await world.propose(local(), insertion(database, 'op-1')));
  assert.equal([again.created, again.proposal], [false, done]);
  await world.clock.advance(HOUR);
  assert.is(world.events('proposal-op-1').at(-1), 'ProposalForgotten');
  for (const body of [state.record.argumentsRef, state.record.sampleRef, state.outcomeRef ?? ''])
    assert.is(world.journal.body(body), undefined);
  refused(await world.proposals.proposal(local(), 'op-1'), 'denied', 403);
  refused(await world.propose(local(), insertion(database, 'op-1')), 'denied', 403);
  refused(await world.confirm(view), 'denied', 403);
  assert.is(world.addon.applied.get('op-1')?.times, 1);
});

test('retention is kept across a restart [PROPOSAL-046] [PROPOSAL-048]', async () => {
  const world = await World.open();
  const view = await world.pending(await world.database(), 'op-1');
  must(await world.confirm(view));
  const after = await world.restart();
  assert.is(must(await after.proposals.proposal(local(), 'op-1')).state, 'applied');
  await after.clock.advance(25 * HOUR);
  refused(await after.proposals.proposal(local(), 'op-1'), 'denied');
});

test('a list has the own proposals alone, newest first, at most 32 pending, in pages [PROPOSAL-022]', async () => {
  const world = await World.open();
  const [mine, theirs] = [await world.database(person('ada')), await world.database(person('bob'))];
  for (let index = 0; index < 32; index += 1) await world.pending(mine, `op-${index}`, person('ada'));
  await world.pending(theirs, 'op-bob', person('bob'));
  const pending = must(await world.proposals.proposals(person('ada'), { state: 'pending', limit: 100 }));
  assert.equal(
    pending.proposals.map(({ id }) => id),
    Array.from({ length: 32 }, (_, index) => `op-${31 - index}`),
  );
  assert.not('next' in pending);
  const first = must(await world.proposals.proposals(person('ada'), { state: 'all', limit: 20 }));
  const cursor = first.next ?? '';
  const second = must(await world.proposals.proposals(person('ada'), { state: 'all', limit: 20, cursor }));
  assert.equal([...first.proposals, ...second.proposals], pending.proposals);
  for (const query of [
    { limit: 0 },
    { limit: 101 },
    { limit: 1.5 },
    { limit: 5, cursor: 'x' },
    { limit: 5, cursor: 'p-1' },
  ])
    refused(await world.proposals.proposals(person('ada'), { state: 'all', ...query }), 'invalid_request', 400);
});

test('a list is sorted by state: pending, unresolved, settled', async () => {
  const world = await World.open();
  const [one, two] = [await world.database(), await world.database()];
  must(await world.confirm(await world.pending(one, 'op-applied')));
  must(await world.proposals.cancel(local(), (await world.pending(one, 'op-cancelled')).id));
  world.addon.receiptFault = { kind: 'outage', message: 'down' };
  world.addon.applyFaults.push('dropped');
  refused(await world.confirm(await world.pending(two, 'op-unknown')), 'outcome_unknown');
  await world.pending(one, 'op-pending');
  const ids = async (state: 'pending' | 'unresolved' | 'settled' | 'all') =>
    must(await world.proposals.proposals(local(), { state, limit: 50 })).proposals.map(({ id }) => id);
  assert.equal(await ids('pending'), ['op-pending']);
  assert.equal(await ids('unresolved'), ['op-unknown']);
  assert.equal(await ids('settled'), ['op-cancelled', 'op-applied']);
  assert.equal(await ids('all'), ['op-pending', 'op-unknown', 'op-cancelled', 'op-applied']);
});

test('changes are told to whom they concern, after they are durable', async () => {
  const world = await World.open();
  const told: string[] = [];
  const stop = world.proposals.onChange((kind, user) => told.push(`${kind} ${user}`));
  const database = await world.database(person('ada'));
  assert.equal(told, ['resources ada']);
  const view = await world.pending(database, 'op-1', person('ada'));
  must(await world.confirm(view, person('ada', 'op-1')));
  assert.equal(new Set(told.slice(1)), new Set(['proposals ada']));
  stop();
  const before = told.length;
  await world.pending(database, 'op-2', person('ada'));
  assert.is(told.length, before);
});

test('closing stops every timer', async () => {
  const world = await World.open();
  await world.pending(await world.database(), 'op-1');
  assert.ok(world.clock.pending() > 0);
  await world.proposals.close();
  assert.is(world.clock.pending(), 0);
});

test('a fence stops every timer: nothing could be recorded any more, and no add-on is asked', async () => {
  const world = await World.open();
  await world.pending(await world.database(), 'op-1');
  assert.ok(world.clock.pending() > 0);
  world.journal.fence('a test');
  await world.clock.advance(60_000);
  assert.is(world.clock.pending(), 0);
});

test('a damaged body fences the owner, and lists still answer without it', async () => {
  const world = await World.open();
  const view = await world.pending(await world.database(), 'op-1');
  const good = world.storage.body.bind(world.storage);
  world.storage.body = (ref) => {
    const found = good(ref);
    return found === undefined ? undefined : { ...found, bytes: Uint8Array.of(...found.bytes, 32) };
  };
  const listed = must(await world.proposals.proposals(local(), { state: 'all', limit: 10 }));
  assert.equal(
    listed.proposals.map(({ id, arguments: args, effects }) => [id, args, effects]),
    [['op-1', {}, { count: 2, sample: [] }]],
  );
  assert.match(world.journal.fenced() ?? '', 'is damaged');
  refused(await world.confirm(view), 'fenced', 503);
});

test.run();
