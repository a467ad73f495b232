import { Broker } from '../../../src/commands/host-operations/broker.js';
import {
  HOST_OP_STATUS,
  type HostOperation,
  HostOperations,
  type HostOpResult,
} from '../../../src/commands/host-operations/operation.js';
import type { HostCaller } from '../../../src/commands/ports.js';
import { LOCAL_OWNER } from '../../../src/contract/actor.js';
import { left, right } from '../../../src/contract/fp.js';
import { hostOpPolicies } from '../../../src/contract/host-grants.js';
import { HOST_OPERATIONS } from '../../../src/contract/host-vocabulary.js';
import type { Json, JsonObject } from '../../../src/contract/json.js';
import { DEFAULT_LIMITS } from '../../../src/contract/limits.js';
import type { Envelope, Scope } from '../../../src/contract/wire.js';
import { assert, suite } from '../../support/harness.js';
import { type LoggedLine, recordingLog } from '../../support/supervisor-rig.js';

const test = suite('host broker');
const NOW = Date.parse('2026-01-01T00:00:00Z');
const NAMED = { userId: 'u-1', credentialId: 'c-1', mode: 'named-user' as const };

function envelope(
  scope: Scope,
  operationId = 'op-1',
  actor: Envelope['authority']['actor'] = NAMED,
  expiresIn = 1_000,
): Envelope {
  return {
    request: { addonId: 'office', operationId, generation: 1, action: scope, arguments: {} },
    authority: { actor, scope, expiresAt: new Date(NOW + expiresIn).toISOString() },
  };
}

interface WorldOptions {
  readonly operations?: readonly HostOperation[];
  readonly live?: readonly Envelope[];
  readonly grants?: Record<string, string[]>;
  readonly features?: readonly string[];
}

function world({ operations = [], live = [], grants = { office: ['workspace.'] }, features = [] }: WorldOptions) {
  const wired = new HostOperations();
  for (const operation of operations) wired.register(operation);
  const logged: LoggedLine[] = [];
  const broker = new Broker({
    operations: wired,
    policyOf: hostOpPolicies(HOST_OPERATIONS, new Map(Object.entries(grants))),
    holds: async (_actor, feature) => {
      if (feature === 'broken') throw new Error('secret cause');
      return features.includes(feature);
    },
    clock: { now: () => new Date(NOW), after: () => () => undefined },
    limits: { ...DEFAULT_LIMITS, payloadBytes: 4_096 },
    log: recordingLog(logged),
  });
  const caller: HostCaller = {
    addonId: 'office',
    incarnation: 'i-1',
    live: (operationId) => live.filter(({ request }) => request.operationId === operationId),
  };
  const send = (body: unknown, from = caller) =>
    broker.call(from, new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)));
  /** The result, or the code of the error after its status was looked at. */
  const call = async (op: string, args: JsonObject = {}, operationId = 'op-1'): Promise<Json> => {
    const { status, body } = await send({ operationId, op, arguments: args });
    if ('result' in body) return status === 200 ? body.result : `status ${status}`;
    assert.equal(Object.keys(body.error).sort(), ['code', 'message']);
    assert.is(status, HOST_OP_STATUS[body.error.code as keyof typeof HOST_OP_STATUS]);
    return body.error.code;
  };
  return { broker, send, call, logged, caller };
}

type Ran = { readonly calls: JsonObject[] };
const recording = (name: string, more: Partial<HostOperation> = {}, result: HostOpResult = right('done')) => {
  const calls: JsonObject[] = [];
  const operation = {
    name,
    scope: 'read',
    run: async (given: JsonObject) => {
      calls.push(given);
      return result;
    },
    ...more,
  } as unknown as HostOperation & Ran;
  return { operation, calls };
};

test('a channel with no operation refuses every call, and what is not listed cannot be wired [HOSTOPS-038] [HOSTOPS-019]', async () => {
  const { call } = world({ live: [envelope('apply')] });
  for (const op of ['workspace.export', 'workspace.future', 'bash']) assert.is(await call(op), 'unknown_op');
  assert.throws(() => new HostOperations().register(recording('workspace.future').operation), /no listed/);
  const twice = new HostOperations();
  twice.register(recording('workspace.export').operation);
  assert.throws(() => twice.register(recording('workspace.export').operation), /twice/);
});

test('a wired operation needs the grant of the add-on all the same [HOSTOPS-022] [INBOUND-008]', async () => {
  const read = recording('egress.check');
  const inbound = recording('connector.inbound', { scope: 'inbound' });
  const { call } = world({ operations: [read.operation, inbound.operation], live: [envelope('read')] });
  assert.is(await call('egress.check'), 'scope');
  assert.is(await call('connector.inbound'), 'scope');
  assert.equal([...read.calls, ...inbound.calls], []);
});

test('only the two known fields of an answer and the nine codes exist [HOSTOPS-036] [HOSTOPS-037]', async () => {
  const codes = [
    'no_live_operation',
    'scope',
    'feature',
    'unknown_op',
    'bad_request',
    'too_large',
    'not_found',
    'conflict',
    'unavailable',
  ];
  assert.equal(Object.keys(HOST_OP_STATUS).sort(), [...codes].sort());
  const told = left({ code: 'not_found' as const, message: 'There is no such file.' });
  const { call } = world({ operations: [recording('workspace.export', {}, told).operation], live: [envelope('read')] });
  assert.is(await call('workspace.export'), 'not_found');
});

test('the call names a request that is served now, whose authority has not expired [HOSTOPS-027] [HOSTOPS-028]', async () => {
  const { operation, calls } = recording('workspace.export');
  const { call } = world({ operations: [operation], live: [envelope('read'), envelope('read', 'old', NAMED, 0)] });
  assert.is(await call('workspace.export', {}, 'other'), 'no_live_operation');
  assert.is(await call('workspace.export', {}, 'old'), 'no_live_operation');
  assert.is(await call('workspace.export', {}, ''), 'no_live_operation');
  assert.equal(calls, []);
  assert.is(await call('workspace.export'), 'done');
});

test('each scope runs under the requests that cover it and no other [HOSTOPS-029] [HOSTOPS-017]', async () => {
  const scopes: readonly Scope[] = ['read', 'preview', 'apply', 'output', 'act'];
  const under = { read: ['read', 'preview', 'apply', 'act'], apply: ['apply'], act: ['act'] } as const;
  for (const [scope, allowed] of Object.entries(under))
    for (const live of scopes) {
      const { operation } = recording('workspace.commit', { scope } as Partial<HostOperation>);
      const { call } = world({ operations: [operation], live: [envelope(live)] });
      const expected = (allowed as readonly Scope[]).includes(live) ? 'done' : 'scope';
      assert.is(await call('workspace.commit'), expected, `${scope} under ${live}`);
    }
  const { operation, calls } = recording('workspace.commit', { scope: 'act' });
  const both = world({ operations: [operation], live: [envelope('read'), envelope('act')] });
  assert.is(await both.call('workspace.commit'), 'done');
  const ran = calls[0]?.envelope as unknown as Envelope | undefined;
  assert.is(ran?.authority.scope, 'act');
});

test('it runs as the actor of the envelope, and arguments that say who are refused before it runs [HOSTOPS-030] [HOSTOPS-031] [INBOUND-007]', async () => {
  const read = recording('workspace.export');
  const inbound = recording('connector.inbound', { scope: 'inbound' });
  const { call } = world({
    operations: [read.operation, inbound.operation],
    live: [envelope('read')],
    grants: { office: ['workspace.', 'connector.'] },
  });
  assert.is(await call('workspace.export', { path: '/a' }), 'done');
  assert.equal(read.calls[0]?.actor, NAMED);
  for (const name of ['userId', 'USER_ID', ' user-id ', 'scope', 'approved', 'actor', 'owner', 'ownerId', 'uſer'])
    for (const op of ['workspace.export', 'connector.inbound'])
      assert.is(await call(op, { [name]: 'u-2' }), 'bad_request', `${op} ${name}`);
  assert.is(read.calls.length, 1);
  assert.is(inbound.calls.length, 0);
});

test('a call is exactly three fields, read strictly and bounded [HOSTOPS-026] [HOSTOPS-033] [INBOUND-009]', async () => {
  const { operation, calls } = recording('workspace.export');
  const { send } = world({ operations: [operation], live: [envelope('read')] });
  const good = { operationId: 'op-1', op: 'workspace.export', arguments: {} };
  for (const [body, status] of [
    ['', 400],
    ['[]', 400],
    [{ ...good, scope: 'inbound' }, 400],
    [{ ...good, inbound: true }, 400],
    [{ ...good, arguments: [] }, 400],
    [{ ...good, op: 7 }, 400],
    [{ operationId: 'op-1', op: 'workspace.export' }, 400],
    [`{"operationId":"op-1","op":"workspace.export","op":"workspace.export","arguments":{}}`, 400],
    [{ ...good, arguments: { text: 'x'.repeat(4_096) } }, 413],
  ] as const)
    assert.is((await send(body)).status, status, JSON.stringify(body).slice(0, 80));
  assert.equal(calls, []);
  assert.is((await send(good)).status, 200);
});

test('a named actor needs the feature, the local owner holds every one, and a failure closes [HOSTOPS-032]', async () => {
  const withFeature = (feature: string) =>
    recording('workspace.export', { feature } as Partial<HostOperation>).operation;
  const as = (feature: string, actor: Envelope['authority']['actor'], features: readonly string[] = []) =>
    world({ operations: [withFeature(feature)], live: [envelope('read', 'op-1', actor)], features });
  assert.is(await as('files', NAMED, ['files']).call('workspace.export'), 'done');
  assert.is(await as('files', NAMED).call('workspace.export'), 'feature');
  assert.is(await as('files', LOCAL_OWNER).call('workspace.export'), 'done');
  const broken = as('broken', NAMED);
  const { body } = await broken.send({ operationId: 'op-1', op: 'workspace.export', arguments: {} });
  assert.is('error' in body && body.error.code, 'unavailable');
  assert.not.match(JSON.stringify(body), /secret/);
});

test('an idempotent operation runs once for one id, and other arguments conflict [HOSTOPS-034]', async () => {
  let runs = 0;
  const operation: HostOperation = {
    name: 'workspace.import',
    scope: 'act',
    idempotent: true,
    run: async () => {
      runs += 1;
      return right(runs);
    },
  };
  const { call, broker } = world({ operations: [operation], live: [envelope('act'), envelope('act', 'op-2')] });
  const both = await Promise.all([call('workspace.import', { a: 1, b: 2 }), call('workspace.import', { b: 2, a: 1 })]);
  assert.equal(both, [1, 1]);
  assert.is(await call('workspace.import', { a: 1, b: 2 }), 1);
  assert.is(await call('workspace.import', { a: 2 }), 'conflict');
  assert.is(await call('workspace.import', { a: 1 }, 'op-2'), 2);
  broker.forget('i-1');
  assert.is(await call('workspace.import', { a: 1, b: 2 }), 3);
});

test('only an inbound operation runs without a request, with no actor and no feature check [INBOUND-001] [INBOUND-004]', async () => {
  const inbound = recording('connector.inbound', { scope: 'inbound' });
  const read = recording('connector.inbound');
  const grants = { office: ['connector.'] };
  assert.is(
    await world({ operations: [inbound.operation], grants }).call('connector.inbound', { bindingId: 'b-1' }),
    'done',
  );
  assert.equal(Object.keys(inbound.calls[0] ?? {}).sort(), ['addonId', 'arguments']);
  assert.is(inbound.calls[0]?.addonId, 'office');
  assert.is(await world({ operations: [read.operation], grants }).call('connector.inbound'), 'no_live_operation');
});

test.run();
