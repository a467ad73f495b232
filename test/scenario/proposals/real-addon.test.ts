/** The gateway of changes over a real process: an add-on in another language that knows the wire contract alone. */
import type { OwnerContext } from '../../../src/commands/context.js';
import type { CatalogFetcher, PackageStore } from '../../../src/commands/ports.js';
import { createProposals } from '../../../src/commands/proposals/index.js';
import type { JsonObject } from '../../../src/contract/json.js';
import { hostProfile } from '../../../src/contract/manifest.js';
import type { InstalledAddon } from '../../../src/projections/installed.js';
import { manifestOf } from '../../../src/projections/manifest-view.js';
import { counterPackage } from '../../support/fixture-addon.js';
import { local, must, refused } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';
import { openRig, QUICK_LIMITS, type Rig, randomIds, recordingLog, systemClock } from '../../support/supervisor-rig.js';

const test = suite('proposals over a real add-on');
let rig: Rig;
test.afterEach(() => rig.close());

async function open(behaviour?: JsonObject) {
  rig = await openRig();
  await rig.supervisor.recover();
  const spec = rig.spec(behaviour === undefined ? {} : { behaviour });
  const started = await rig.supervisor.start(spec);
  if (started._tag === 'Left') throw new Error(started.left.reason);
  const { manifest } = counterPackage(`${rig.dir}/manifest`);
  const installed: InstalledAddon = {
    addonId: 'counter',
    version: '1.0.0',
    generation: 1,
    enabled: true,
    changing: false,
    directory: 'counter-1',
    manifest: manifestOf(JSON.stringify(manifest)),
    installedAt: '2026-01-01T00:00:00.000Z',
  };
  const context: OwnerContext = {
    store: rig.store,
    clock: systemClock,
    ids: randomIds,
    log: recordingLog(rig.logged),
    runtimes: rig.supervisor,
    packages: {} as PackageStore,
    catalog: {} as CatalogFetcher,
    limits: QUICK_LIMITS,
    host: hostProfile('linux', 'x64'),
    hostOps: () => ({ vocabulary: new Set<string>(), grants: [] }),
    dataRoot: rig.dir,
  };
  const proposals = createProposals(context, () => installed);
  proposals.start();
  return { proposals, spec };
}

type Gateway = Awaited<ReturnType<typeof open>>['proposals'];

async function counter(proposals: Gateway, name = 'Visits'): Promise<string> {
  const value = { addonId: 'counter', operationId: 'make-1', generation: 1, arguments: { name } };
  const made = await proposals.createResource(local('make-1'), { value, rawArguments: JSON.stringify({ name }) });
  return must(made).entry.resourceId;
}

async function adding(proposals: Gateway, resourceId: string, operationId: string, amount = 3) {
  const args = { tool: 'add', amount };
  const value = {
    addonId: 'counter',
    resourceId,
    operationId,
    generation: 1,
    action: 'write' as const,
    arguments: args,
  };
  return must(await proposals.propose(local(), { value, rawArguments: JSON.stringify(args) })).proposal;
}

async function countOf(proposals: Gateway, resourceId: string) {
  const value = { addonId: 'counter', resourceId, operationId: 'look', generation: 1, action: 'read', arguments: {} };
  return must(await proposals.read(local(), { value, rawArguments: '{"tool":"value"}' })).payload;
}

const applied = () => (JSON.parse(rig.file('counter', 'state.json')) as { applied: Record<string, number> }).applied;

test('create, propose, confirm, read and list, and the data changes only by the confirmation [PROPOSAL-001] [CONFIRM-001]', async () => {
  const { proposals } = await open();
  const id = await counter(proposals);
  const view = await adding(proposals, id, 'op-1');
  assert.equal(view.effects, { count: 1, sample: [{ from: 0, to: 3 }] });
  assert.ok(Date.parse(view.expiresAt) - Date.parse(view.createdAt) > 290_000, 'the person has the whole time');
  assert.equal(await countOf(proposals, id), { value: 0 });
  const many = await Promise.all(
    Array.from({ length: 4 }, () => proposals.confirm(local('op-1'), 'op-1', { digest: view.digest })),
  );
  for (const one of many) assert.is(must(one).state, 'applied');
  assert.equal(await countOf(proposals, id), { value: 3 });
  assert.equal(applied(), { [`create-${id}`]: 1, 'op-1': 1 });
  const [entry] = must(await proposals.resources(local(), 'counter'));
  assert.equal([entry?.name, entry?.revision], ['Visits', { schema: 1, data: 1 }]);
  await proposals.close();
});

test('the add-on refuses a stale revision in the transaction of the write [CONFIRM-002]', async () => {
  const { proposals } = await open();
  const id = await counter(proposals);
  const [one, two] = [await adding(proposals, id, 'op-1'), await adding(proposals, id, 'op-2')];
  must(await proposals.confirm(local('op-1'), 'op-1', { digest: one.digest }));
  const late = must(await proposals.confirm(local('op-2'), 'op-2', { digest: two.digest }));
  assert.equal([late.state, late.rejection?.code], ['rejected', 'stale']);
  assert.equal(await countOf(proposals, id), { value: 3 });
  await proposals.close();
});

test('a process that dies in the middle of an apply leaves an unknown outcome that is never submitted again [RECOVER-004] [RECOVER-013]', async () => {
  const { proposals, spec } = await open();
  const id = await counter(proposals);
  const view = await adding(proposals, id, 'op-1');
  await rig.supervisor.stop('counter');
  await rig.supervisor.start({
    ...spec,
    ...rig.spec({ behaviour: { calls: { '/apply': { sleepMs: 50, exit: 3 } } } }),
  });
  refused(await proposals.confirm(local('op-1'), 'op-1', { digest: view.digest }), 'outcome_unknown', 503);
  await rig.supervisor.stop('counter');
  await rig.supervisor.start({ ...spec, ...rig.spec({ behaviour: {} }) });
  assert.is(must(await proposals.reconcile(local(), 'op-1')).state, 'outcome-unknown');
  refused(await proposals.confirm(local('op-1'), 'op-1', { digest: view.digest }), 'outcome_unknown', 503);
  const resolved = await proposals.resolve(local('op-1'), 'op-1', {
    digest: view.digest,
    reason: 'looked at the value',
  });
  assert.is(must(resolved).state, 'abandoned-unknown');
  const next = await adding(proposals, id, 'op-2', 1);
  assert.is(must(await proposals.confirm(local('op-2'), 'op-2', { digest: next.digest })).state, 'applied');
  assert.equal(await countOf(proposals, id), { value: 1 });
  await proposals.close();
});

test('a stopped add-on leaves the proposal pending, and its refusals are refusals [RECOVER-005]', async () => {
  const { proposals, spec } = await open();
  const id = await counter(proposals);
  const view = await adding(proposals, id, 'op-1');
  await rig.supervisor.stop('counter');
  refused(await proposals.confirm(local('op-1'), 'op-1', { digest: view.digest }), 'proposal_unavailable', 503);
  await rig.supervisor.start(spec);
  assert.is(must(await proposals.proposal(local(), 'op-1')).state, 'pending');
  assert.is(must(await proposals.confirm(local('op-1'), 'op-1', { digest: view.digest })).state, 'applied');
  const args = { tool: 'add', amount: 2_000_000 };
  const value = {
    addonId: 'counter',
    resourceId: id,
    operationId: 'op-2',
    generation: 1,
    action: 'write' as const,
    arguments: args,
  };
  refused(await proposals.propose(local(), { value, rawArguments: JSON.stringify(args) }), 'invalid_request', 400);
  await proposals.close();
});

test.run();
