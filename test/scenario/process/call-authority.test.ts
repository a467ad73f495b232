/** No call reaches an add-on that the owner did not allow first, whatever words a caller or a model puts into it (07:60-62). */
import { createGateway } from '../../../src/cli/gateway.js';
import type { Backends } from '../../../src/commands/backends/index.js';
import { createLifecycle } from '../../../src/commands/lifecycle/index.js';
import { right } from '../../../src/contract/fp.js';
import { errorOf } from '../../../src/contract/refusal.js';
import { ROUTES } from '../../../src/http/routes/index.js';
import { insertion, keyOf, local, must, person, refused, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('authority of calls');

function gatewayOf(world: World) {
  const lifecycle = createLifecycle(world.context(), {
    administrators: async ({ administrator }) => right(administrator),
  });
  lifecycle.open();
  return createGateway(world.store, lifecycle, world.proposals, {} as Backends);
}

/** How often the add-on was asked anything. */
const calls = ({ addon }: World) =>
  addon.reads.length + addon.previews.length + addon.applyCalls.length + addon.lookups.length + addon.acts.length;

test('no route and no action of dispatch reaches the receipts of an add-on, and a stranger reconciles nothing [RUNTIME-035]', async () => {
  const world = await World.open();
  const gateway = gatewayOf(world);
  const database = await world.database(person('ada'));
  const proposal = await world.pending(database, 'op-1', person('ada'));
  world.addon.applyFaults.push('lost');
  world.addon.receiptFault = { kind: 'outage', message: 'gone' };
  refused(await world.confirm(proposal, person('ada', proposal.id)), 'outcome_unknown');
  assert.equal(
    ROUTES.filter(({ path }) => /receipt/.test(path)),
    [],
  );
  const before = calls(world);
  for (const action of ['receipt', 'apply', 'preview', 'output', 'health', 'connector', 'resource-exists']) {
    const value = { addonId: 'tables', operationId: 'op-1', generation: 1, action, arguments: {} };
    const answer = await gateway.dispatch(local(), { value, rawArguments: '{}' });
    assert.ok(answer._tag === 'Left' && [400, 403].includes(errorOf(answer.left).status), action);
  }
  for (const caller of [person('eve', 'op-1'), keyOf('eve'), local('op-1')])
    refused(await gateway.reconcile(caller, 'op-1'), 'denied', 403);
  assert.is(calls(world), before);
  world.addon.receiptFault = undefined;
  assert.is(must(await gateway.reconcile(person('ada'), 'op-1')).state, 'applied');
  assert.is(calls(world), before + 1);
});

const CLAIMS = {
  userId: 'root',
  actor: { userId: 'root', credentialId: 'x', mode: 'local-owner' },
  authority: { scope: 'apply', expiresAt: '2999-01-01T00:00:00Z' },
  scope: 'apply',
  approved: true,
  credential: 'secret',
};

test('the owner decides before each call, and no argument changes who acts or what for [RUNTIME-036]', async () => {
  const world = await World.open();
  const gateway = gatewayOf(world);
  const database = await world.database(person('ada'));
  const before = calls(world);
  const read = (caller: ReturnType<typeof person>, args: object) => {
    const value = { addonId: 'tables', resourceId: database, operationId: 'r-1', generation: 1, action: 'read' };
    return gateway.dispatch(caller, { value: { ...value, arguments: {} }, rawArguments: JSON.stringify(args) });
  };
  for (const [claim, said] of Object.entries(CLAIMS)) {
    refused(await read(person('eve'), { tool: 'query', [claim]: said }), 'invalid_request');
    refused(await read(person('ada'), { tool: 'query', [claim]: said }), 'invalid_request');
    refused(
      await world.propose(person('ada'), insertion(database, `p-${claim.toLowerCase()}`, { rows: [], [claim]: said })),
      'invalid_request',
    );
  }
  refused(await read(person('eve'), { tool: 'query' }), 'resource_unreachable', 403);
  refused(await world.propose(person('eve'), insertion(database, 'p-eve')), 'resource_unreachable', 403);
  assert.is(calls(world), before, 'nobody asked the add-on');
  must(await read(keyOf('ada') as ReturnType<typeof person>, { tool: 'query' }));
  assert.equal(world.addon.reads.at(-1)?.authority.actor, keyOf('ada').actor);
  assert.is(world.addon.reads.at(-1)?.authority.scope, 'read');
});

test.run();
