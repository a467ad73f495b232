import { insertion, local, must, pendingWorld, refused, settle } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('cancel and expiry');

test('a cancelled proposal can never be applied, a repeat answers the same [PROPOSAL-036] [RECOVER-001]', async () => {
  const { world, view, applies } = await pendingWorld();
  const cancelled = must(await world.proposals.cancel(local(), 'op-1'));
  assert.is(cancelled.state, 'cancelled');
  assert.equal(must(await world.proposals.cancel(local(), 'op-1')), cancelled);
  const closed = refused(await world.confirm(view), 'proposal_closed', 409);
  assert.is(closed.detail?.state, 'cancelled');
  assert.is(applies(), 0);
  const again = must(await world.propose(local(), insertion(view.resourceId, 'op-1')));
  assert.equal([again.created, again.proposal.state], [false, 'cancelled']);
});

test('a cancellation that comes before a waiting confirmation wins [PROPOSAL-036]', async () => {
  const { world, database, view } = await pendingWorld();
  const second = await world.pending(database, 'op-2');
  let go: (() => void) | undefined;
  world.addon.onApply = () => new Promise<void>((open) => (go = open));
  const first = world.confirm(view);
  await settle();
  const waiting = world.confirm(second);
  await settle();
  must(await world.proposals.cancel(local(), 'op-2'));
  go?.();
  must(await first);
  refused(await waiting, 'proposal_closed', 409);
  assert.not(world.addon.applied.has('op-2'));
});

test('expiry is recorded when the clock runs out though nobody reads, and confirming is 410 [PROPOSAL-037] [WIRE-041]', async () => {
  const { world, view, applies } = await pendingWorld();
  await world.clock.advance(299_000);
  assert.equal(world.events('proposal-op-1'), ['ProposalStored']);
  await world.clock.advance(1_000);
  assert.equal(world.events('proposal-op-1'), ['ProposalStored', 'ProposalExpired']);
  const late = refused(await world.confirm(view), 'proposal_expired', 410);
  assert.is(late.detail?.state, 'expired');
  refused(await world.proposals.cancel(local(), 'op-1'), 'proposal_expired', 410);
  assert.is(applies(), 0);
});

test('expiry is recorded at the next proposal and at start, and a timer that never ran makes no difference [PROPOSAL-037]', async () => {
  const { world, database, view } = await pendingWorld();
  world.clock.stop();
  await world.clock.advance(300_000);
  assert.equal(world.events('proposal-op-1'), ['ProposalStored']);
  await world.pending(database, 'op-2');
  assert.equal(world.events('proposal-op-1'), ['ProposalStored', 'ProposalExpired']);
  world.clock.stop();
  await world.clock.advance(300_000);
  const after = await world.restart();
  assert.equal(after.events('proposal-op-2'), ['ProposalStored', 'ProposalExpired']);
  refused(await after.confirm(view), 'proposal_expired', 410);
});

test('a confirmation at the very moment of expiry, before the timer, is refused [PROPOSAL-037]', async () => {
  const { world, view, applies } = await pendingWorld();
  world.clock.stop();
  await world.clock.advance(300_000);
  refused(await world.confirm(view), 'proposal_expired', 410);
  assert.is(applies(), 0);
});

test('a confirmation whose time runs out while it waits for its turn is expired, and never sent [PROPOSAL-037]', async () => {
  const { world, database, view, applies } = await pendingWorld();
  const second = await world.pending(database, 'op-2');
  let finish = () => {};
  world.addon.onApply = () => new Promise<void>((resume) => (finish = resume));
  const first = world.confirm(view);
  await settle();
  const waiting = world.confirm(second);
  await settle();
  world.clock.stop();
  await world.clock.advance(300_000);
  finish();
  must(await first);
  const refusal = refused(await waiting, 'proposal_expired', 410);
  assert.is(refusal.detail?.state, 'expired');
  assert.equal(world.events('proposal-op-2'), ['ProposalStored', 'ProposalExpired']);
  assert.is(applies(), 1);
});

test.run();
