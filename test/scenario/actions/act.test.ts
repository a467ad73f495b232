/** Action tools: at once, for a chat alone, in the chat's own space, and never a second time (07:105-131). */
import type { Caller } from '../../../src/commands/gateway.js';
import type { ContractRequest } from '../../../src/contract/wire.js';
import { installedTables, keyOf, local, must, person, refused, settle, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('action tools');

const request = (change: Partial<ContractRequest> = {}): ContractRequest => ({
  addonId: 'tables',
  operationId: 'act-1',
  generation: 1,
  action: 'act',
  arguments: {},
  ...change,
});

const chat = (userId = 'ada', conversationId = 'Chat.7'): Caller => ({
  ...person(userId),
  via: { kind: 'chat', name: 'studio-chats-addons' },
  conversationId,
});

const act = (world: World, caller: Caller, raw = '{"tool":"run","command":"ls"}', value = request()) =>
  world.proposals.act(caller, { value, rawArguments: raw });

test('an action runs at once as the person of the chat, with no proposal and no confirmation [ACTION-001] [ACTION-006]', async () => {
  const world = await World.open();
  assert.equal(must(await act(world, chat())), { payload: { ran: 'ls' } });
  const [envelope] = world.addon.acts;
  assert.equal(envelope?.authority, {
    actor: { userId: 'ada', credentialId: 'session-of-ada', mode: 'named-user' },
    scope: 'act',
    expiresAt: new Date(world.clock.now().getTime() + 1_800_000).toISOString(),
  });
  assert.is(envelope?.request.action, 'act');
  assert.equal(must(await world.proposals.proposals(chat(), { state: 'all', limit: 10 })).proposals, []);
  assert.equal(world.events(), []);
});

test('only a chat with its conversation runs one: direct callers, keys, agents and scripts are refused [ACTION-005]', async () => {
  const world = await World.open();
  const agent: Caller = { ...person('ada'), via: { kind: 'mcp', name: 'agent' }, conversationId: 'Chat.7' };
  const { conversationId: _, ...withoutConversation } = chat();
  for (const caller of [local(), local('act-1'), person('ada', 'act-1'), keyOf('ada'), agent, withoutConversation])
    refused(await act(world, caller), 'denied', 403);
  refused(await act(world, chat('ada', '../x')), 'invalid_request', 400);
  const proposal = { ...request(), action: 'act' as 'write', arguments: { tool: 'run', command: 'ls' } };
  refused(await world.propose(local(), proposal), 'invalid_request');
  refused(await world.propose(local(), { ...proposal, action: 'write' }), 'invalid_request');
  assert.is(world.addon.acts.length + world.addon.previews.length, 0);
});

test('the conversation comes from the chat and stands in resourceId, whatever the model or the request says [ACTION-004] [ACTION-009]', async () => {
  const world = await World.open();
  const plain = installedTables();
  const schema = {
    type: 'object',
    properties: { resourceId: { type: 'string' }, command: { type: 'string' } },
    required: ['resourceId'],
  };
  const toolDefinitions = plain.manifest.capabilities.toolDefinitions.map((tool) =>
    tool.name === 'run' ? { ...tool, inputSchema: schema } : tool,
  );
  const capabilities = { ...plain.manifest.capabilities, toolDefinitions };
  world.installed = { ...plain, manifest: { ...plain.manifest, capabilities } as typeof plain.manifest };
  const raw = '{"tool":"run","command":"ls","resourceId":"chat-of-somebody"}';
  must(await act(world, chat(), raw, request({ resourceId: 'another' })));
  must(await act(world, chat(), '{"tool":"run","command":"ls"}'));
  for (const { request: sent } of world.addon.acts) {
    assert.is(sent.resourceId, 'Chat.7');
    assert.equal(sent.arguments, { tool: 'run', command: 'ls' });
  }
  world.installed = plain;
  refused(await act(world, chat(), raw), 'invalid_request', 400);
});

test('a tool of another kind, an undeclared or page-only one, a stale generation and a stopped add-on are refused unsent', async () => {
  const world = await World.open();
  refused(await act(world, chat(), '{"tool":"query"}'), 'invalid_request', 400);
  for (const raw of ['{"tool":"nothing"}', '{}', '{"TOOL":"run"}', '[]', '{"tool":"run","tool":"query"}'])
    refused(await act(world, chat(), raw), 'denied', 403);
  refused(await act(world, chat(), undefined, request({ generation: 2 })), 'denied', 403);
  refused(await act(world, chat(), undefined, request({ generation: 0 })), 'invalid_request', 400);
  refused(await act(world, chat(), '{"tool":"run","command":7}'), 'invalid_request', 400);
  const plain = installedTables();
  const toolDefinitions = plain.manifest.capabilities.toolDefinitions.map((tool) => ({ ...tool, uiOnly: true }));
  world.installed = {
    ...plain,
    manifest: { ...plain.manifest, capabilities: { ...plain.manifest.capabilities, toolDefinitions } },
  };
  refused(await act(world, chat()), 'denied', 403);
  world.installed = plain;
  world.addon.up = false;
  refused(await act(world, chat()), 'unavailable', 503);
  assert.is(world.addon.acts.length, 0);
});

test('an add-on that dies or hangs during an action leaves an unknown outcome, and nothing is sent again [ACTION-008] [ACTION-007]', async () => {
  const world = await World.open();
  world.addon.actFault = { kind: 'outage', message: 'the connection failed' };
  assert.is(refused(await act(world, chat()), 'outcome_unknown', 503).detail?.operationId, 'act-1');
  world.addon.actFault = 'hang';
  const hanging = act(world, chat());
  await settle();
  await world.clock.advance(1_800_000 + 4_000);
  await settle();
  assert.is(await Promise.race([hanging, Promise.resolve('waits')]), 'waits');
  await world.clock.advance(2_000);
  refused(await hanging, 'outcome_unknown', 503);
  await world.clock.advance(600_000);
  assert.is(world.addon.acts.length, 2);
});

test('what the add-on refuses is told as it is: a limit with its time, a refusal, a conflict [CREDENTIAL-020]', async () => {
  const world = await World.open();
  world.addon.actFault = { kind: 'busy', retryAfter: 42 };
  assert.is(refused(await act(world, chat()), 'busy', 429).detail?.retryAfter, 42);
  world.addon.actFault = { kind: 'refused', message: 'No such folder.' };
  assert.is(refused(await act(world, chat()), 'invalid_request', 400).message, 'No such folder.');
  world.addon.actFault = { kind: 'conflict', message: 'Another run is under way.' };
  refused(await act(world, chat()), 'operation_conflict', 409);
  world.addon.actFault = { kind: 'not-sent', message: 'the connection was refused' };
  refused(await act(world, chat()), 'unavailable', 503);
});

test('actions leave a place for reads: the calls above that wait a moment and are then told to come again', async () => {
  const world = await World.open();
  world.addon.actFault = 'hang';
  for (let n = 1; n <= 3; n += 1) void act(world, chat(), undefined, request({ operationId: `act-${n}` }));
  await settle();
  const late = act(world, chat(), undefined, request({ operationId: 'act-4' }));
  await settle();
  assert.is(world.addon.acts.length, 3);
  await world.clock.advance(6_000);
  assert.is(refused(await late, 'busy', 429).detail?.retryAfter, 1);
});

test.run();
