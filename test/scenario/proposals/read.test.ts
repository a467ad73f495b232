/** Typed reads: the same rules as every request, an envelope only the owner issues, typed answers. */
import type { ContractRequest } from '../../../src/contract/wire.js';
import { installedTables, keyOf, local, must, person, refused, settle, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('typed read');

const request = (resourceId: string | undefined, change: Partial<ContractRequest> = {}): ContractRequest => ({
  addonId: 'tables',
  ...(resourceId === undefined ? {} : { resourceId }),
  operationId: 'read-1',
  generation: 1,
  action: 'read',
  arguments: {},
  ...change,
});

const read = (world: World, value: ContractRequest, raw = '{"tool":"query"}', caller = local()) =>
  world.proposals.read(caller, { value, rawArguments: raw });

async function withDatabase(owner = local()) {
  const world = await World.open();
  const database = await world.database(owner);
  world.addon.reads.length = 0;
  return { world, database };
}

test('a read reaches the add-on under an authority that the owner alone issued [WIRE-012] [POLICY-035]', async () => {
  const { world, database } = await withDatabase(person('ada'));
  world.addon.readResult = { payload: { rows: [1, 2] } };
  assert.equal(must(await read(world, request(database), undefined, keyOf('ada'))), { payload: { rows: [1, 2] } });
  const [envelope] = world.addon.reads;
  assert.equal(envelope?.request, { ...request(database), arguments: { tool: 'query' } });
  assert.equal(envelope?.authority, {
    actor: { userId: 'ada', credentialId: 'key-of-ada', mode: 'named-user' },
    scope: 'read',
    expiresAt: new Date(world.clock.now().getTime() + 30_000).toISOString(),
  });
});

test('the declared-tool rule holds for reads and the add-on is not contacted [PROPOSAL-004] [PROPOSAL-011]', async () => {
  const { world, database } = await withDatabase();
  for (const raw of [
    '{"tool":"delete-database"}',
    '{"Tool":"query"}',
    '{"tool":"query","tool":"inspect"}',
    '{"tool":"QUERY"}',
    '{"tool":1}',
    '[]',
  ])
    refused(await read(world, request(database), raw), 'denied', 403);
  assert.is(world.addon.reads.length, 0);
});

test('a read never runs a write, schema, create or action tool', async () => {
  const { world, database } = await withDatabase();
  for (const raw of [
    '{"tool":"insert-rows","rows":[]}',
    '{"tool":"alter-table","add":"x"}',
    '{"tool":"create-database","name":"x"}',
    '{"tool":"run","command":"x"}',
  ])
    refused(await read(world, request(database), raw), 'invalid_request', 400);
  assert.is(world.addon.reads.length, 0);
});

test('arguments, resource and request are checked against the declaration', async () => {
  const { world, database } = await withDatabase();
  refused(await read(world, request(database), '{"tool":"query","text":5}'), 'invalid_request', 400);
  refused(await read(world, request(database), '{"tool":"query","extra":1}'), 'invalid_request', 400);
  refused(await read(world, request(undefined)), 'invalid_request', 400);
  refused(await read(world, request(database), '{"tool":"my-things"}'), 'invalid_request', 400);
  refused(await read(world, request(database, { generation: 0 })), 'invalid_request', 400);
  refused(await read(world, request(database, { operationId: 'Bad Id' })), 'invalid_request', 400);
  refused(await read(world, request('Bad Id')), 'invalid_request', 400);
  refused(await read(world, request(database, { action: 'write' })), 'invalid_request', 400);
  assert.is(world.addon.reads.length, 0);
  must(await read(world, request(undefined), '{"tool":"my-things"}'));
  must(await read(world, request(''), '{"tool":"my-things"}'));
});

test('a stale or absent generation is denied; an add-on that is off is unavailable [PROPOSAL-013] [POLICY-035]', async () => {
  const { world, database } = await withDatabase();
  refused(await read(world, request(database, { generation: 2 })), 'denied', 403);
  world.installed = installedTables({ generation: 2 });
  refused(await read(world, request(database)), 'denied', 403);
  world.installed = undefined;
  refused(await read(world, request(database)), 'denied', 403);
  world.installed = installedTables();
  world.addon.up = false;
  refused(await read(world, request(database)), 'unavailable', 503);
  assert.is(world.addon.reads.length, 0);
});

test('a resource of somebody else, an unknown one and an administrator without a grant get one denial [POLICY-013] [POLICY-016] [WIRE-038]', async () => {
  const { world, database } = await withDatabase(person('ada'));
  const unknown = refused(await read(world, request('r-none'), undefined, person('bob')), 'resource_unreachable', 403);
  for (const caller of [person('bob'), { ...person('root'), administrator: true }, local()])
    assert.equal(
      refused(await read(world, request(database), undefined, caller), 'resource_unreachable', 403),
      unknown,
    );
  assert.is(world.addon.reads.length, 0);
});

test('people who take turns never mix identities [POLICY-020]', async () => {
  const world = await World.open();
  const [adas, bobs] = [await world.database(person('ada')), await world.database(person('bob'))];
  world.addon.reads.length = 0;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      read(world, request(index % 2 === 0 ? adas : bobs), undefined, person(index % 3 === 0 ? 'ada' : 'bob')),
    ),
  );
  for (const [index, answer] of answers.entries())
    assert.is(answer._tag === 'Right', (index % 2 === 0) === (index % 3 === 0));
  for (const { request: sent, authority } of world.addon.reads)
    assert.is(authority.actor.userId, sent.resourceId === adas ? 'ada' : 'bob');
});

test('the ends of a read: refused 400, busy 429, outage 503, silence 504, files denied whole [POLICY-005] [WIRE-036] [WIRE-044] [WIRE-045]', async () => {
  const { world, database } = await withDatabase();
  world.addon.readFault = { kind: 'refused', message: 'no such table' };
  assert.match(refused(await read(world, request(database)), 'invalid_request', 400).message, 'no such table');
  world.addon.readFault = { kind: 'busy', retryAfter: 4 };
  assert.is(refused(await read(world, request(database)), 'busy', 429).detail?.retryAfter, 4);
  for (const fault of [
    { kind: 'outage' as const, message: 'x' },
    { kind: 'not-sent' as const, message: 'x' },
    { kind: 'conflict' as const, message: 'x' },
  ]) {
    world.addon.readFault = fault;
    refused(await read(world, request(database)), 'unavailable', 503);
  }
  world.addon.readFault = { kind: 'not-sent', message: 'x', full: true };
  assert.is(refused(await read(world, request(database)), 'busy', 429).detail?.retryAfter, 1);
  world.addon.readFault = { kind: 'timeout' };
  refused(await read(world, request(database)), 'timeout', 504);
  world.addon.readFault = 'hang';
  const hanging = read(world, request(database));
  await world.clock.advance(35_000);
  refused(await hanging, 'timeout', 504);
  world.addon.readFault = undefined;
  world.addon.readResult = {
    payload: { a: 1 },
    outputs: [{ handle: 'h', name: 'a.csv', mediaType: 'text/csv', size: 1 }],
  };
  const denied = refused(await read(world, request(database)), 'denied', 403);
  assert.not(JSON.stringify(denied).includes('a.csv'));
});

test('reads go on while the journal takes no events', async () => {
  const { world, database } = await withDatabase();
  world.journal.fence('a test');
  await settle();
  must(await read(world, request(database)));
});

test.run();
