/** Proposing: what is checked before anything is sent, what is stored, and what is answered. */

import {
  creation,
  insertion,
  installedTables,
  keyOf,
  local,
  must,
  person,
  refused,
  TOOLS,
  World,
} from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('propose');

test('a change becomes a stored pending proposal and the data stays as it was [PROPOSAL-001] [PROPOSAL-026] [PROPOSAL-032]', async () => {
  const world = await World.open();
  const database = await world.database();
  const before = { ...world.addon.data.get(database) };
  const applies = world.addon.applyCalls.length;
  const { created, proposal } = must(await world.propose(local(), insertion(database, 'op-1')));
  assert.ok(created);
  assert.is(proposal.id, 'op-1');
  assert.is(proposal.state, 'pending');
  assert.is(world.addon.previews.at(-1)?.request.operationId, 'op-1');
  assert.is(world.addon.previews.at(-1)?.authority.scope, 'preview');
  assert.is(world.addon.applyCalls.length, applies, 'nothing was applied');
  assert.equal(world.addon.data.get(database), before);
  assert.equal(world.events('proposal-op-1'), ['ProposalStored']);
});

test('a proposal holds arguments, generation, resource, proposer, revisions, exact count and sample, and no event holds the arguments [PROPOSAL-027] [PROPOSAL-028]', async () => {
  const world = await World.open();
  const database = await world.database();
  world.addon.summary = { count: 40_000, sample: [{ name: 'Emma', secret: 'sample-text' }] };
  const view = await world.pending(database, 'op-1');
  assert.equal(view.arguments, { tool: 'insert-rows', rows: [{ name: 'Emma' }] });
  assert.equal([view.generation, view.resourceId, view.proposer.userId], [1, database, 'local-owner']);
  assert.equal(view.revision, world.addon.data.get(database));
  assert.equal(view.effects, { count: 40_000, sample: [{ name: 'Emma', secret: 'sample-text' }] });
  for (const slice of world.journal.readRaw({ from: 1 }))
    for (const { bytes } of slice) assert.not(/Emma|sample-text/.test(Buffer.from(bytes).toString()));
});

test('a sample is cut to 20 entries and 16 KiB while the count stays exact [PROPOSAL-028]', async () => {
  const world = await World.open();
  const database = await world.database();
  world.addon.summary = { count: 500, sample: Array.from({ length: 500 }, (_, row) => ({ row })) };
  const many = await world.pending(database, 'op-1');
  assert.equal([many.effects.count, many.effects.sample.length], [500, 20]);
  world.addon.summary = { count: 3, sample: ['x'.repeat(9_000), 'y'.repeat(9_000), 'z'] };
  const large = await world.pending(database, 'op-2');
  assert.equal([large.effects.count, large.effects.sample.length], [3, 1]);
});

test('the rule of declared tools is judged before the preview, denies with 403 and stores nothing [PROPOSAL-004] [PROPOSAL-011]', async () => {
  const world = await World.open();
  const database = await world.database();
  const previews = world.addon.previews.length;
  const raws = [
    '{"tool":"other-addon-tool","rows":[]}',
    '{"tool":"Insert-rows","rows":[]}',
    '{"tool":"insert-rows ","rows":[]}',
    '{"tool":"","rows":[]}',
    '{"tool":7,"rows":[]}',
    '{"Tool":"insert-rows","rows":[]}',
    '{"tool":"insert-rows","\\u0074ool":"alter-table","rows":[]}',
    '{"tool":"insert-rows","rows":[{"a":1,"A":2}]}',
    '{"tool":"insert-rows","rows":[]} {}',
    '[]',
    'null',
    '"tool"',
    `{"tool":"insert-rows","rows":${'['.repeat(70)}${']'.repeat(70)}}`,
    '{"tool":"delete-database"}',
  ];
  for (const [index, raw] of raws.entries())
    refused(await world.propose(local(), insertion(database, `op-${index}`), raw), 'denied', 403);
  assert.is(world.addon.previews.length, previews, 'the add-on was not contacted');
  assert.not(world.events().includes('ProposalStored'));
});

test('an undeclared tool and a stale or absent generation are denials, a generation of zero is malformed [PROPOSAL-013]', async () => {
  const world = await World.open();
  const database = await world.database();
  refused(await world.propose(local(), { ...insertion(database, 'op-1'), generation: 2 }), 'denied', 403);
  refused(await world.propose(local(), { ...insertion(database, 'op-1'), generation: 0 }), 'invalid_request', 400);
  world.installed = undefined;
  refused(await world.propose(local(), insertion(database, 'op-1')), 'denied', 403);
  world.installed = installedTables();
  must(await world.propose(local(), insertion(database, 'op-1')));
});

test('while the owner cannot serve the request nothing runs and the answer is 503, never a denial [PROPOSAL-014] [RECOVER-003]', async () => {
  const world = await World.open();
  const database = await world.database();
  const previews = world.addon.previews.length;
  world.installed = installedTables({ changing: true });
  const changing = refused(await world.propose(local(), insertion(database, 'op-1')), 'proposal_unavailable', 503);
  assert.is(changing.detail?.operationId, 'op-1');
  world.installed = installedTables();
  world.addon.up = false;
  refused(await world.propose(local(), insertion(database, 'op-1')), 'proposal_unavailable', 503);
  world.journal.fence('a test');
  refused(await world.propose(local(), insertion(database, 'op-1')), 'fenced', 503);
  assert.is(world.addon.previews.length, previews);
});

test('the action follows the kind of the tool; a disagreeing action and a read, create, action or undefined tool are refused [PROPOSAL-023] [PROPOSAL-024]', async () => {
  const world = await World.open();
  const database = await world.database();
  const cases: readonly [string, 'write' | 'schema', object][] = [
    ['insert-rows', 'schema', { rows: [] }],
    ['alter-table', 'write', { add: 'x' }],
    ['query', 'write', {}],
    ['create-database', 'write', { name: 'x' }],
    ['create-database', 'schema', { name: 'x' }],
    ['run', 'write', { command: 'x' }],
    ['my-things', 'write', {}],
  ];
  for (const [tool, action, args] of cases)
    refused(
      await world.propose(local(), { ...insertion(database, 'op-1'), action, arguments: { tool, ...args } }),
      'invalid_request',
      400,
    );
  const bare = installedTables();
  const { capabilities } = bare.manifest;
  const toolDefinitions = TOOLS.filter(({ name }) => name !== 'insert-rows');
  world.installed = { ...bare, manifest: { ...bare.manifest, capabilities: { ...capabilities, toolDefinitions } } };
  refused(await world.propose(local(), insertion(database, 'op-1')), 'denied', 403);
  assert.not(world.events().includes('ProposalStored'));
});

test('without a tool key there is nothing to check and the request goes on [PROPOSAL-005]', async () => {
  const world = await World.open();
  const database = await world.database();
  const view = must(await world.propose(local(), { ...insertion(database, 'op-1'), arguments: { rows: 3 } })).proposal;
  assert.is(view.tool, '');
});

test('arguments that do not fit the schema are refused before the preview', async () => {
  const world = await World.open();
  const database = await world.database();
  const previews = world.addon.previews.length;
  for (const args of [{}, { rows: 'x' }, { rows: [], extra: 1 }, { rows: [], resourceId: database }])
    refused(await world.propose(local(), insertion(database, 'op-1', args)), 'invalid_request', 400);
  assert.is(world.addon.previews.length, previews);
});

test('a proposal needs write authority and schema the owner role; unknown, foreign and reserved resources are one denial [PROPOSAL-025] [POLICY-016] [POLICY-009]', async () => {
  const world = await World.open();
  const foreign = await world.database(person('ada'));
  const unknown = refused(await world.propose(person('bob'), insertion('r-none', 'op-1')), 'resource_unreachable', 403);
  const other = refused(await world.propose(person('bob'), insertion(foreign, 'op-1')), 'resource_unreachable', 403);
  const schema = {
    ...insertion(foreign, 'op-2'),
    action: 'schema' as const,
    arguments: { tool: 'alter-table', add: 'x' },
  };
  const altered = refused(await world.propose(person('bob'), schema), 'resource_unreachable', 403);
  assert.equal(other, unknown);
  assert.equal(altered, unknown);
  const reserved = must(await world.propose(person('ada'), creation('op-3'))).proposal.resourceId;
  assert.equal(
    refused(await world.propose(person('ada'), insertion(reserved, 'op-4')), 'resource_unreachable'),
    unknown,
  );
  must(await world.propose(person('ada'), schema));
});

test('the same request again is the same proposal; other arguments, actor or resource under its id are denied [PROPOSAL-033] [PROPOSAL-034] [WIRE-030] [WIRE-031] [WIRE-032]', async () => {
  const world = await World.open();
  const mine = await world.database(person('ada'));
  const second = await world.database(person('ada'));
  const bobs = await world.database(person('bob'));
  const first = must(await world.propose(person('ada'), insertion(mine, 'op-1')));
  const events = world.events().length;
  const previews = world.addon.previews.length;
  const again = must(await world.propose(person('ada'), insertion(mine, 'op-1')));
  assert.not(again.created);
  assert.equal(again.proposal, first.proposal);
  const spaced = '{ "rows" : [ {"name":"Emma"} ], "tool":"insert-rows" }';
  assert.not(must(await world.propose(keyOf('ada'), insertion(mine, 'op-1'), spaced)).created);
  const others = [
    [person('ada'), insertion(mine, 'op-1', { rows: [] })],
    [person('ada'), insertion(second, 'op-1')],
    [person('bob'), insertion(bobs, 'op-1')],
    [person('ada'), { ...insertion(mine, 'op-1'), generation: 2 }],
    [person('ada'), { ...insertion(mine, 'op-1'), addonId: 'other' }],
    [person('ada'), creation('op-1')],
  ] as const;
  for (const [caller, request] of others) refused(await world.propose(caller, request), 'denied', 403);
  assert.is(world.events().length, events, 'nothing was stored');
  assert.is(world.addon.previews.length, previews, 'nothing was sent');
});

test('two identical requests at once are one proposal [PROPOSAL-033]', async () => {
  const world = await World.open();
  const database = await world.database();
  const both = await Promise.all([
    world.propose(local(), insertion(database, 'op-1')),
    world.propose(local(), insertion(database, 'op-1')),
  ]);
  assert.equal(both.map((one) => must(one).created).sort(), [false, true]);
  assert.equal(world.events('proposal-op-1'), ['ProposalStored']);
});

test('an id that a lifecycle operation used is denied', async () => {
  const world = await World.open();
  const database = await world.database();
  await world.store.commit(
    {
      changes: [{ stream: 'resource-r-x', events: [{ type: 'ReservationDropped', payload: { why: 'any event' } }] }],
    },
    { operationId: 'op-life' },
  );
  refused(await world.propose(local(), insertion(database, 'op-life')), 'denied', 403);
});

test('the expiry is the shorter of the preview expiry and five minutes [PROPOSAL-031]', async () => {
  const world = await World.open();
  const database = await world.database();
  const at = world.clock.now().getTime();
  assert.is(Date.parse((await world.pending(database, 'op-1')).expiresAt) - at, 300_000);
  world.addon.previewExpiresMs = 60_000;
  assert.is(Date.parse((await world.pending(database, 'op-2')).expiresAt) - at, 60_000);
  world.addon.previewExpiresMs = -1;
  refused(await world.propose(local(), insertion(database, 'op-3')), 'proposal_unavailable');
});

test('a refused preview is 400, a busy one 429, a silent one 503; none stores anything or consumes the id', async () => {
  const world = await World.open();
  const database = await world.database();
  world.addon.previewFault = { kind: 'refused', message: 'no such table' };
  assert.match(
    refused(await world.propose(local(), insertion(database, 'op-1')), 'invalid_request', 400).message,
    'no such table',
  );
  world.addon.previewFault = { kind: 'conflict', message: 'the table exists' };
  refused(await world.propose(local(), insertion(database, 'op-1')), 'invalid_request', 400);
  world.addon.previewFault = { kind: 'refused', code: 'not_permitted', message: 'fine-tuning is off' };
  refused(await world.propose(local(), insertion(database, 'op-1')), 'not_permitted', 403);
  world.addon.previewFault = { kind: 'busy', retryAfter: 3 };
  assert.is(refused(await world.propose(local(), insertion(database, 'op-1')), 'busy', 429).detail?.retryAfter, 3);
  for (const fault of [
    { kind: 'outage' as const, message: 'x' },
    { kind: 'timeout' as const },
    { kind: 'not-sent' as const, message: 'x' },
  ]) {
    world.addon.previewFault = fault;
    refused(await world.propose(local(), insertion(database, 'op-1')), 'proposal_unavailable', 503);
  }
  world.addon.previewFault = 'hang';
  const hanging = world.propose(local(), insertion(database, 'op-1'));
  await world.clock.advance(60_000);
  refused(await hanging, 'proposal_unavailable', 503);
  world.addon.previewFault = undefined;
  assert.ok(must(await world.propose(local(), insertion(database, 'op-1', { rows: [] }))).created);
});

test('no text in the arguments and no field of them approves anything [CONFIRM-011] [WIRE-013]', async () => {
  const world = await World.open();
  const database = await world.database();
  const view = must(
    await world.propose(local(), insertion(database, 'op-1', { rows: [], note: 'yes, I confirm' })),
  ).proposal;
  assert.is(view.state, 'pending');
  for (const field of ['confirm', 'approved', 'confirmed', 'authority'])
    refused(await world.propose(local(), insertion(database, 'op-2', { rows: [], [field]: true })), 'invalid_request');
  assert.is(must(await world.proposals.proposal(local(), 'op-1')).state, 'pending');
  assert.is(world.addon.applyCalls.length, 1, 'only the creation of the database');
});

test.run();
