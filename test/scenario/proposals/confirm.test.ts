/** Confirming: once, from the person's own page, exactly what was stored. */
import { errorOf } from '../../../src/contract/refusal.js';
import type { Envelope } from '../../../src/contract/wire.js';
import { proposalKind } from '../../../src/projections/kinds/proposal.js';
import {
  creation,
  installedTables,
  keyOf,
  local,
  must,
  pendingWorld,
  person,
  refused,
  settle,
  TOOLS,
  World,
} from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('confirm');

test('a confirmation applies exactly the stored parameters and answers the stored receipt [CONFIRM-001] [PROPOSAL-039] [RECOVER-008] [WIRE-012]', async () => {
  const { world, database, view, applies } = await pendingWorld();
  const done = must(await world.confirm(view));
  assert.is(done.state, 'applied');
  assert.equal(done.receipt, {
    operationId: 'op-1',
    state: 'committed',
    revision: world.addon.data.get(database),
    result: { payload: { count: 2 } },
  });
  assert.is(applies(), 1);
  const call = world.addon.applyCalls.at(-1);
  assert.equal(call?.revision, view.revision);
  assert.equal(call?.envelope.request, {
    addonId: 'tables',
    resourceId: database,
    operationId: 'op-1',
    generation: 1,
    action: 'write',
    arguments: view.arguments,
  });
  assert.is(call?.envelope.authority.scope, 'apply');
  assert.equal(call?.envelope.authority.actor, {
    userId: 'local-owner',
    credentialId: 'local-owner',
    mode: 'local-owner',
  });
});

test('an authority ends with the deadline of its call [WIRE-014]', async () => {
  const { world, view } = await pendingWorld();
  await world.clock.advance(1_000);
  must(await world.confirm(view));
  const { expiresAt } = world.addon.applyCalls.at(-1)?.envelope.authority ?? { expiresAt: '' };
  assert.is(Date.parse(expiresAt), world.clock.now().getTime() + 60_000);
});

test('confirming again, and confirming at the same time, applies nothing more and answers the same [CONFIRM-003] [CONFIRM-001] [RECOVER-001]', async () => {
  const { world, view, applies } = await pendingWorld();
  const many = await Promise.all(Array.from({ length: 8 }, () => world.confirm(view)));
  const answers = many.map(must);
  for (const answer of answers) assert.equal(answer, answers[0]);
  assert.equal(must(await world.confirm(view)), answers[0]);
  assert.is(applies(), 1);
  assert.is(world.events('proposal-op-1').filter((type) => type === 'ExecutionStarted').length, 1);
});

test('confirmation and execution are durable before the add-on sees the call [PROPOSAL-038] [PROPOSAL-047]', async () => {
  const { world, view } = await pendingWorld();
  const seen: string[] = [];
  world.addon.onApply = () => {
    seen.push(...world.events('proposal-op-1'));
  };
  must(await world.confirm(view));
  assert.equal(seen, ['ProposalStored', 'ProposalConfirmed', 'ExecutionStarted']);
});

test('the outcome is durable before it is answered [PROPOSAL-047]', async () => {
  const { world, view } = await pendingWorld();
  must(await world.confirm(view));
  assert.equal(world.events('proposal-op-1').slice(3), ['ProposalApplied']);
  const after = await world.restart();
  assert.is(must(await after.proposals.proposal(local(), 'op-1')).state, 'applied');
});

test('only the surface, and only for this proposal, confirms; keys, MCP sessions and chats never do [CONFIRM-004] [CONFIRM-009] [CONFIRM-006] [PROPOSAL-002] [CONFIRM-012]', async () => {
  const world = await World.open();
  const database = await world.database(person('ada'));
  const view = await world.pending(database, 'op-1', person('ada'));
  const applies = world.addon.applyCalls.length;
  const mcp = { ...person('ada', 'op-1'), via: { kind: 'mcp' as const } };
  const chat = { ...person('ada', 'op-1'), via: { kind: 'chat' as const } };
  for (const caller of [person('ada'), person('ada', 'op-2'), keyOf('ada', 'op-1'), mcp, chat])
    refused(await world.confirm(view, caller), 'denied', 403);
  const localKey = { ...local('op-1'), actor: { ...local().actor, credentialId: 'a-key' } };
  refused(await world.confirm(view, localKey), 'denied', 403);
  refused(await world.confirm(view, local('op-1')), 'denied', 403);
  refused(await world.confirm(view, person('bob', 'op-1')), 'denied', 403);
  assert.is(world.addon.applyCalls.length, applies);
  assert.is(must(await world.proposals.proposal(keyOf('ada'), 'op-1')).state, 'pending');
  must(await world.confirm(view, person('ada', 'op-1')));
});

test('in local-owner mode an API credential or no surface never confirms [CONFIRM-008] [PROPOSAL-002]', async () => {
  const { world, view, applies } = await pendingWorld();
  refused(await world.confirm(view, local()), 'denied', 403);
  refused(await world.confirm(view, { ...local('op-1'), via: { kind: 'key' } }), 'denied', 403);
  refused(await world.confirm(view, { ...local('op-1'), via: { kind: 'mcp' } }), 'denied', 403);
  assert.is(applies(), 0);
  must(await world.confirm(view));
});

test('an unknown, a foreign and a malformed id are one denial on every route', async () => {
  const world = await World.open();
  const database = await world.database(person('ada'));
  await world.pending(database, 'op-1', person('ada'));
  const expected = errorOf(refused(await world.proposals.proposal(person('bob'), 'op-none'), 'denied', 403));
  for (const id of ['op-1', 'op-none', 'Not An Id', '', '../op-1']) {
    const bob = person('bob', id);
    const answers = [
      await world.proposals.proposal(bob, id),
      await world.proposals.confirm(bob, id, { digest: 'x' }),
      await world.proposals.cancel(bob, id),
      await world.proposals.reconcile(bob, id),
      await world.proposals.resolve(bob, id, { digest: 'x', reason: 'y' }),
    ];
    for (const answer of answers) assert.equal(errorOf(refused(answer, 'denied', 403)), expected);
  }
});

test('a wrong digest is refused and applies nothing, before and after the change was applied [CONFIRM-006]', async () => {
  const { world, view, applies } = await pendingWorld();
  const wrong = { ...view, digest: `sha256:${'0'.repeat(64)}` };
  refused(await world.confirm(wrong), 'digest_mismatch', 409);
  assert.is(applies(), 0);
  must(await world.confirm(view));
  refused(await world.confirm(wrong), 'digest_mismatch', 409);
});

test('a record whose stored arguments were altered is refused and never runs [PROPOSAL-030]', async () => {
  const { world, view, applies } = await pendingWorld();
  const state = world.store.ahead.get(proposalKind, 'op-1');
  if (state.state !== 'pending') throw new Error('not pending');
  const other = await world.pending(view.resourceId, 'op-2');
  const otherState = world.store.ahead.get(proposalKind, other.id);
  if (otherState.state !== 'pending') throw new Error('not pending');
  const altered = [
    { ...state.record, revision: { schema: 9, data: 9 } },
    { ...state.record, count: 0 },
    { ...state.record, resourceId: 'r-other' },
    { ...state.record, expiresAt: '2030-01-01T00:00:00.000Z' },
    { ...state.record, addonOperationId: 'op-9' },
  ];
  for (const record of altered) {
    const states = world.store.ahead.all(proposalKind) as Map<string, unknown>;
    states.set('op-1', { ...state, record });
    const answer = await world.confirm(view);
    if (record.resourceId === 'r-other') assert.is(answer._tag, 'Left');
    else refused(answer, 'digest_mismatch', 409);
    states.set('op-1', state);
  }
  assert.is(applies(), 0);
  must(await world.confirm(view));
});

test('a data change after the preview ends as rejected and overwrites nothing [CONFIRM-002] [PROPOSAL-040]', async () => {
  const { world, database, view } = await pendingWorld();
  const second = await world.pending(database, 'op-2');
  must(await world.confirm(view));
  const moved = { ...world.addon.data.get(database) };
  const late = must(await world.confirm(second));
  assert.is(late.state, 'rejected');
  assert.is(late.rejection?.code, 'stale');
  assert.equal(world.addon.data.get(database), moved);
});

test('a changed generation ends the proposal as rejected without contacting the add-on [PROPOSAL-040] [PROPOSAL-012]', async () => {
  const { world, view, applies } = await pendingWorld();
  world.installed = installedTables({ generation: 2 });
  world.addon.generation = 2;
  const ended = must(await world.confirm(view));
  assert.equal([ended.state, ended.rejection?.code], ['rejected', 'stale']);
  assert.is(applies(), 0);
  assert.equal(must(await world.confirm(view)).state, 'rejected');
  const gone = await pendingWorld();
  gone.world.installed = undefined;
  assert.is(must(await gone.world.confirm(gone.view)).state, 'rejected');
});

test('a tool that is not declared any more is never applied [PROPOSAL-012]', async () => {
  const { world, view, applies } = await pendingWorld();
  const bare = installedTables();
  const tools = TOOLS.map(({ name }) => name).filter((name) => name !== 'insert-rows');
  world.installed = { ...bare, manifest: { ...bare.manifest, capabilities: { ...bare.manifest.capabilities, tools } } };
  refused(await world.confirm(view), 'denied', 403);
  assert.is(applies(), 0);
});

test('an add-on that is changing or down leaves the proposal pending [RECOVER-003] [RECOVER-005]', async () => {
  const { world, view, applies } = await pendingWorld();
  world.installed = installedTables({ changing: true });
  const changing = refused(await world.confirm(view), 'proposal_unavailable', 503);
  assert.is(changing.detail?.operationId, 'op-1');
  world.installed = installedTables();
  world.addon.up = false;
  refused(await world.confirm(view), 'proposal_unavailable', 503);
  assert.is(must(await world.proposals.proposal(local(), 'op-1')).state, 'pending');
  assert.equal(world.events('proposal-op-1'), ['ProposalStored']);
  world.addon.up = true;
  must(await world.confirm(view));
  assert.is(applies(), 1);
});

test('a call that never left returns to pending and may be confirmed again [RECOVER-005]', async () => {
  const { world, view } = await pendingWorld();
  world.addon.applyFaults.push({ kind: 'not-sent', message: 'no free slot' });
  const answer = refused(await world.confirm(view), 'proposal_unavailable', 503);
  assert.is(answer.detail?.operationId, 'op-1');
  assert.is(must(await world.proposals.proposal(local(), 'op-1')).state, 'pending');
  world.addon.applyFaults.push({ kind: 'busy', retryAfter: 2 });
  assert.is(refused(await world.confirm(view), 'busy', 429).detail?.retryAfter, 2);
  assert.is(must(await world.proposals.proposal(local(), 'op-1')).state, 'pending');
  assert.is(must(await world.confirm(view)).state, 'applied');
  assert.is(world.addon.applied.get('op-1')?.times, 1);
});

test('a conflict ends the proposal as rejected, a refusal is 400 and ends it too [RECOVER-006] [PROPOSAL-040]', async () => {
  const { world, database, view } = await pendingWorld();
  world.addon.applyFaults.push({ kind: 'conflict', code: 'operation_conflict', message: 'the id was used' });
  const conflict = must(await world.confirm(view));
  assert.equal(
    [conflict.state, conflict.rejection],
    ['rejected', { code: 'operation_conflict', message: 'the id was used' }],
  );
  const second = await world.pending(database, 'op-2');
  world.addon.applyFaults.push({ kind: 'refused', message: 'no such column' });
  const first = refused(await world.confirm(second), 'invalid_request', 400);
  assert.match(first.message, 'no such column');
  assert.equal(refused(await world.confirm(second), 'invalid_request', 400), first);
  const third = await world.pending(database, 'op-3');
  world.addon.applyFaults.push({ kind: 'refused', code: 'not_permitted', message: 'training is off' });
  refused(await world.confirm(third), 'not_permitted', 403);
  const stored = must(await world.proposals.proposal(local(), 'op-2'));
  assert.equal([stored.state, stored.rejection?.message], ['rejected', 'no such column']);
});

test('a lost, dropped, unclear, thrown or silent answer is an unknown outcome and is never submitted again [RECOVER-004] [RECOVER-011] [WIRE-033] [WIRE-034] [WIRE-023] [WIRE-045]', async () => {
  for (const fault of ['lost', 'dropped', 'receipt-pending', 'throw', 'hang'] as const) {
    const { world, view, applies } = await pendingWorld();
    world.addon.receiptFault = { kind: 'outage', message: 'down' };
    world.addon.applyFaults.push(fault);
    const confirming = world.confirm(view);
    if (fault === 'hang') await world.clock.advance(66_000);
    const answer = refused(await confirming, 'outcome_unknown', 503);
    assert.is(answer.detail?.operationId, 'op-1');
    assert.is(must(await world.proposals.proposal(local(), 'op-1')).state, 'outcome-unknown');
    refused(await world.confirm(view), 'outcome_unknown', 503);
    refused(await world.proposals.cancel(local(), 'op-1'), 'outcome_unknown', 503);
    await world.clock.advance(600_000);
    refused(await world.confirm(view), 'outcome_unknown', 503);
    assert.is(applies(), 1, fault);
  }
});

test('while an apply runs, reading says executing and cancelling is an unknown outcome [RECOVER-004]', async () => {
  const { world, view } = await pendingWorld();
  let arrived: (() => void) | undefined;
  world.addon.onApply = (_: Envelope) => new Promise<void>((go) => (arrived = go));
  const confirming = world.confirm(view);
  await settle();
  assert.is(must(await world.proposals.proposal(local(), 'op-1')).state, 'executing');
  refused(await world.proposals.cancel(local(), 'op-1'), 'outcome_unknown', 503);
  refused(await world.proposals.reconcile(local(), 'op-1'), 'outcome_unknown', 503);
  refused(
    await world.proposals.resolve(local('op-1'), 'op-1', { digest: view.digest, reason: 'x' }),
    'proposal_unavailable',
  );
  arrived?.();
  assert.is(must(await confirming).state, 'applied');
});

test('writes to one resource run one at a time while reads go on [POLICY-021]', async () => {
  const world = await World.open();
  const [one, two] = [await world.database(), await world.database()];
  const views = [await world.pending(one, 'op-1'), await world.pending(one, 'op-2'), await world.pending(two, 'op-3')];
  const running = new Map<string, number>();
  let most = 0;
  let both = 0;
  const open: (() => void)[] = [];
  world.addon.onApply = async ({ request }) => {
    const id = request.resourceId ?? '';
    running.set(id, (running.get(id) ?? 0) + 1);
    most = Math.max(most, ...running.values());
    both = Math.max(both, [...running.values()].filter((count) => count > 0).length);
    await new Promise<void>((go) => open.push(go));
    running.set(id, (running.get(id) ?? 0) - 1);
  };
  const confirming = views.map((view) => world.confirm(view));
  await settle();
  must(
    await world.proposals.read(local(), {
      value: { addonId: 'tables', resourceId: one, operationId: 'r-1', generation: 1, action: 'read', arguments: {} },
      rawArguments: '{"tool":"query"}',
    }),
  );
  for (let round = 0; round < 4; round += 1) {
    for (const go of open.splice(0)) go();
    await settle();
  }
  for (const answer of await Promise.all(confirming)) must(answer);
  assert.equal([most, both], [1, 2]);
});

test('words of an add-on that are cut within a character are recorded all the same [RECOVER-006]', async () => {
  const { world, database, view } = await pendingWorld();
  world.addon.applyFaults.push({ kind: 'refused', message: `${'x'.repeat(510)}\u{1f600} and more` });
  refused(await world.confirm(view), 'invalid_request', 400);
  const stored = must(await world.proposals.proposal(local(), 'op-1'));
  assert.equal([stored.state, stored.rejection?.message], ['rejected', `${'x'.repeat(510)}…`]);
  const second = await world.pending(database, 'op-2');
  world.addon.applied.set('op-2', {
    receipt: {
      operationId: 'op-2',
      state: 'rejected',
      revision: second.revision,
      result: { payload: { error: `${'e'.repeat(62)}\u{1f600} and more` } },
    },
    times: 0,
  });
  assert.is(must(await world.confirm(second)).rejection?.code, `${'e'.repeat(62)}…`);
});

test('the role is checked again at confirmation [PROPOSAL-025]', async () => {
  const { world, database, view, applies } = await pendingWorld();
  const { resourceKind } = await import('../../../src/projections/kinds/resource.js');
  const states = world.store.ahead.all(resourceKind) as Map<string, unknown>;
  const held = states.get(database) as object;
  states.set(database, { ...held, owner: { userId: 'somebody', mode: 'local-owner' } });
  refused(await world.confirm(view), 'resource_unreachable', 403);
  assert.is(applies(), 0);
});

test('one yes covers one proposal: others stay pending [CONFIRM-011]', async () => {
  const { world, database, view } = await pendingWorld();
  await world.pending(database, 'op-2');
  must(await world.propose(local(), creation('op-3')));
  must(await world.confirm(view));
  assert.is(must(await world.proposals.proposal(local(), 'op-2')).state, 'pending');
  assert.is(must(await world.proposals.proposal(local(), 'op-3')).state, 'pending');
});

test.run();
