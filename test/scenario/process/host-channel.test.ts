import type { HostAnswer, HostBroker, HostCaller } from '../../../src/commands/ports.js';
import { assert, suite } from '../../support/harness.js';
import { envelope, openRig, type Rig } from '../../support/supervisor-rig.js';

const test = suite('the channel from an add-on to the host');

interface Startup {
  readonly credential: string;
  readonly hostEndpoint?: string;
  readonly hostCredential?: string;
  readonly registration: { readonly protocol: number };
}

const startup = (rig: Rig, id: string) => JSON.parse(rig.file(id, 'startup.json')) as Startup;

/** A broker that offers the channel to `named`, and answers what it was asked and which requests were live then. */
function broker(named: readonly string[]) {
  const seen: { caller: HostCaller; live: number }[] = [];
  const host: HostBroker = {
    offers: (addonId) => named.includes(addonId),
    call: async (caller, body): Promise<HostAnswer> => {
      const { operationId } = JSON.parse(new TextDecoder().decode(body)) as { operationId: string };
      const live = caller.live(operationId);
      seen.push({ caller, live: live.length });
      return { status: 200, body: { result: { addonId: caller.addonId, live: live.length } } };
    },
    forget: () => undefined,
  };
  return { host, seen };
}

async function call({ hostEndpoint = '' }: Startup, credential: string | undefined, body: string, method = 'POST') {
  const headers = credential === undefined ? {} : { 'X-Addon-Host-Credential': credential };
  const response = await fetch(hostEndpoint, { method, headers, ...(method === 'GET' ? {} : { body }) });
  return { status: response.status, body: (await response.json()) as { result?: unknown; error?: { code: string } } };
}

const CALL = JSON.stringify({ operationId: 'op-1', op: 'workspace.export', arguments: {} });
const behaviour = { report: true };

test('only a named add-on is given endpoint and credential, and one that ignores them works as before [HOSTOPS-023] [HOSTOPS-025] [HOSTOPS-035]', async () => {
  const { host } = broker(['counter']);
  const rig = await openRig({ options: { host } });
  await rig.supervisor.recover();
  const without = await openRig();
  await without.supervisor.recover();
  await Promise.all([
    rig.supervisor.start(rig.spec({ behaviour })),
    rig.supervisor.start(rig.spec({ id: 'other', behaviour })),
    without.supervisor.start(without.spec({ behaviour })),
  ]);
  const named = startup(rig, 'counter');
  assert.match(named.hostEndpoint ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.ok((named.hostCredential ?? '').length >= 43);
  assert.is(named.registration.protocol, 1);
  for (const unnamed of [startup(rig, 'other'), startup(without, 'counter')]) {
    assert.is(unnamed.hostEndpoint, undefined);
    assert.is(unnamed.hostCredential, undefined);
  }
  assert.is(rig.supervisor.observe('counter').state, 'running');
  await Promise.all([rig.close(), without.close()]);
});

test('a call needs the credential of this very incarnation, which is not the one of the other way [HOSTOPS-024] [INBOUND-002] [INBOUND-003]', async () => {
  const { host, seen } = broker(['counter', 'other']);
  const rig = await openRig({ options: { host } });
  await rig.supervisor.recover();
  await rig.supervisor.start(rig.spec({ behaviour }));
  await rig.supervisor.start(rig.spec({ id: 'other', behaviour }));
  const [mine, others] = [startup(rig, 'counter'), startup(rig, 'other')];
  assert.not.equal(mine.credential, mine.hostCredential);
  for (const credential of [undefined, '', 'wrong', mine.credential, others.hostCredential]) {
    const refused = await call(mine, credential, CALL);
    assert.is(refused.status, 401);
    assert.is(refused.body.error?.code, 'no_live_operation');
  }
  assert.is(seen.length, 0);
  assert.is((await call(mine, mine.hostCredential, '', 'GET')).status, 404);
  assert.is((await call(mine, mine.hostCredential, `{"x":"${'x'.repeat(1_048_576)}"}`)).status, 413);
  const taken = await call(mine, mine.hostCredential, CALL);
  assert.equal(taken.body.result, { addonId: 'counter', live: 0 });
  await rig.supervisor.stop('counter');
  const gone = await call(mine, mine.hostCredential, CALL).catch((error: unknown) => String(error));
  assert.match(String(gone), /fetch failed/);
  await rig.supervisor.start(rig.spec({ behaviour, generation: 2 }));
  const next = startup(rig, 'counter');
  assert.not.equal(next.hostCredential, mine.hostCredential);
  assert.is((await call(next, mine.hostCredential, CALL)).status, 401);
  assert.not.match(JSON.stringify(rig.logged), new RegExp(`${mine.hostCredential}|${next.hostCredential}`));
  await rig.close();
});

test('the authority is a request that this add-on is being served at that moment [HOSTOPS-027]', async () => {
  const { host } = broker(['counter', 'other']);
  const rig = await openRig({ options: { host } });
  await rig.supervisor.recover();
  const slow = { ...behaviour, calls: { '/read': { sleepMs: 1_500 } } };
  await rig.supervisor.start(rig.spec({ behaviour: slow }));
  await rig.supervisor.start(rig.spec({ id: 'other', behaviour }));
  const [mine, others] = [startup(rig, 'counter'), startup(rig, 'other')];
  const live = async (whose: Startup) =>
    ((await call(whose, whose.hostCredential, CALL)).body.result as { live: number }).live;
  assert.is(await live(mine), 0);
  const reading = rig.client().read(envelope('read', { arguments: { tool: 'value' } }));
  assert.is(await live(mine), 1);
  assert.is(await live(others), 0);
  await reading;
  assert.is(await live(mine), 0);
  await rig.close();
});

test.run();
