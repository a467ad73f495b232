/** Roles, and what is never a tool of a proposal. */
import { roleFor } from '../../../src/commands/authority.js';
import { namedTool } from '../../../src/commands/tools.js';
import { isLeft } from '../../../src/contract/fp.js';
import { creation, installedTables, local, must, person, refused, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('authority');

test('a read needs the viewer, a write the editor, and everything else, known or not, the owner [POLICY-015]', () => {
  assert.is(roleFor('read'), 'viewer');
  assert.is(roleFor('write'), 'editor');
  for (const action of ['schema', 'delete', 'undo', 'share', 'Read', 'read ', '', 'constructor'])
    assert.is(roleFor(action), 'owner');
});

test('deletion and sharing are no tools and no proposals: the admin tool is denied on every path [PROPOSAL-003]', async () => {
  const world = await World.open();
  const database = await world.database();
  for (const kind of ['read', 'write', 'schema', 'create', 'action'] as const)
    for (const tool of ['delete-database', 'share', 'grant', 'revoke'])
      assert.ok(isLeft(namedTool(installedTables(), JSON.stringify({ tool }), { kind, resourceId: database })));
  for (const action of ['delete', 'share', 'undo', 'read', 'act', '']) {
    const request = { ...creation('op-1'), resourceId: database, action: action as 'write' };
    refused(await world.propose(local(), request), 'invalid_request', 400);
  }
  assert.not(world.events().includes('ProposalStored'));
});

test('declarations are read from the state at each generation: a new one uses its own [PROPOSAL-016]', async () => {
  const world = await World.open();
  const database = await world.database();
  const request = {
    addonId: 'tables',
    resourceId: database,
    operationId: 'q',
    generation: 1,
    action: 'read',
    arguments: {},
  };
  const raw = '{"tool":"query"}';
  must(await world.proposals.read(local(), { value: request, rawArguments: raw }));
  const next = installedTables({ generation: 2 });
  const tools = next.manifest.capabilities.tools.filter((name) => name !== 'query');
  world.installed = { ...next, manifest: { ...next.manifest, capabilities: { ...next.manifest.capabilities, tools } } };
  world.addon.generation = 2;
  refused(
    await world.proposals.read(local(), { value: { ...request, generation: 2 }, rawArguments: raw }),
    'denied',
    403,
  );
});

test('files that a receipt names never leave the owner and make nothing downloadable [WIRE-028]', async () => {
  const world = await World.open();
  const view = await world.pending(await world.database(), 'op-1');
  world.addon.onApply = ({ request }) => {
    world.addon.applied.set(request.operationId, {
      receipt: {
        operationId: request.operationId,
        state: 'committed',
        revision: { schema: 1, data: 2 },
        result: {
          payload: { ok: true },
          outputs: [{ handle: 'secret-handle', name: 'a', mediaType: 'text/csv', size: 1 }],
        },
      },
      times: 0,
    });
  };
  const done = must(await world.confirm(view));
  assert.equal(done.receipt?.result, { payload: { ok: true } });
  assert.not(JSON.stringify(done).includes('secret-handle'));
});

test('a proposal of one person is invisible to another, administrator or not', async () => {
  const world = await World.open();
  await world.pending(await world.database(person('ada')), 'op-1', person('ada'));
  for (const caller of [person('bob'), { ...person('root'), administrator: true }]) {
    refused(await world.proposals.proposal(caller, 'op-1'), 'denied', 403);
    assert.equal(must(await world.proposals.proposals(caller, { state: 'all', limit: 10 })).proposals, []);
  }
});

test.run();
