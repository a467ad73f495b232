/** Add-ons that misbehave: each costs itself its place and nobody else anything. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft, left, must, right } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';
import {
  alive,
  envelope,
  eventually,
  openRig,
  pidsOf,
  type Rig,
  type RigOptions,
} from '../../support/supervisor-rig.js';

const test = suite('supervisor: faults');
let rig: Rig;
const open = async (options: RigOptions = {}) => {
  rig = await openRig(options);
  must(await rig.supervisor.recover(), 'recover');
  return rig;
};
test.afterEach(() => rig.close());

const reason = (outcome: { _tag: string; left?: { reason: string } }) => outcome.left?.reason ?? '';
const count = () => envelope('read', { arguments: { tool: 'count' } });

test('a health answer that differs in any field is not ready, and the field is named [RUNTIME-027]', async () => {
  const { supervisor, spec, trace } = await open({ limits: { attempts: 1 } });
  const wrong: Record<string, unknown> = {
    protocol: 2,
    addonId: 'other',
    version: '1.0.1',
    generation: 2,
    incarnation: '0'.repeat(32),
    endpoint: 'http://127.0.0.1:1',
    capabilities: {},
  };
  for (const [field, value] of Object.entries(wrong)) {
    const fixture = { id: `wrong-${field.toLowerCase()}`, behaviour: { wrongHealth: { [field]: value } } as never };
    const outcome = await supervisor.start(spec(fixture));
    assert.match(reason(outcome), new RegExp(`health answer .*\\b${field}\\b`));
    for (const pid of pidsOf(trace(fixture.id))) assert.not.ok(alive(pid));
  }
  const more = await supervisor.start(spec({ id: 'more', behaviour: { wrongHealth: { extra: 1 } } }));
  assert.match(reason(more), /health answer .*extra/);
});

test('one that never gets ready is ended at the readiness limit and reported, while its retries go on', async () => {
  const { supervisor, spec, trace } = await open({ settings: { readinessMs: 5_000 }, limits: { attempts: 20 } });
  const launch = spec({ behaviour: { neverReady: true } });
  const outcome = await supervisor.start(launch);
  assert.match(reason(outcome), /not ready within 5 seconds/);
  const [first] = pidsOf(trace()) as [number];
  assert.not.ok(alive(first));
  assert.is(supervisor.observe('counter').state, 'starting');
  writeFileSync(join(launch.packageDir, 'behaviour.json'), '{}');
  await eventually('a retry succeeds', () => supervisor.observe('counter').state === 'running');
  assert.ok(supervisor.observe('counter').restarts >= 1);
  must(await supervisor.start(launch), 'a repeated start of what runs by now');
  assert.is(supervisor.observe('counter').reason, undefined);
});

test('one that never reads a long startup line holds up neither the owner nor the others [RUNTIME-010]', async () => {
  const { supervisor, spec } = await open({ settings: { readinessMs: 6_000 } });
  const padded = (length: number) => ({ padding: 'x'.repeat(length) });
  const never = { id: 'stuck', behaviour: { neverRead: true }, capabilities: padded(1_000_000) };
  const stuck = supervisor.start(spec(never));
  let over = false;
  void stuck.then(() => {
    over = true;
  });
  must(await supervisor.start(spec({ capabilities: padded(62_000) })), 'another one with a line longer than a pipe');
  assert.is(over, false, 'it did not wait for the stuck one');
  assert.match(reason(await stuck), /not ready/);
});

test('a flood on stderr is bounded, and the add-on serves all the same', async () => {
  const { supervisor, spec, client } = await open({ settings: { readinessMs: 20_000 } });
  must(await supervisor.start(spec({ behaviour: { floodStderr: 8_000_000 } })), 'start');
  must(await client().read(count()), 'read');
  const lines = supervisor.log('counter');
  assert.ok(lines.length <= 200 && lines.every((line) => line.length <= 4_096));
});

test('a credential that the add-on prints is blotted out of its log', async () => {
  const { supervisor, spec } = await open();
  must(await supervisor.start(spec({ behaviour: { print: 'a plain line', printCredential: true } })), 'start');
  const lines = await eventually('two lines', () =>
    supervisor.log('counter').length >= 2 ? supervisor.log('counter') : undefined,
  );
  assert.equal(lines, ['a plain line', 'my credential is [credential]']);
});

test('no credential stands in a log line or an event [RUNTIME-015]', async () => {
  const { supervisor, spec, file, logged, journal } = await open();
  must(await supervisor.start(spec({ behaviour: { report: true } })), 'start');
  const { credential } = JSON.parse(file('counter', 'startup.json')) as { credential: string };
  assert.not.ok(JSON.stringify(logged).includes(credential));
  assert.not.ok(JSON.stringify(journal.readStream('process-counter')).includes(credential));
});

test('an exit withdraws the capabilities, and the next process has another incarnation and credential [RUNTIME-028] [RUNTIME-030]', async () => {
  const { supervisor, spec, client, trace } = await open();
  must(await supervisor.start(spec()), 'start');
  const before = client();
  const [pid] = pidsOf(trace()) as [number];
  process.kill(pid, 'SIGKILL');
  await eventually('withdrawn', () => isLeft(supervisor.current('counter', 1)));
  await eventually('running again', () => supervisor.observe('counter').state === 'running');
  assert.is.not(client().incarnation, before.incarnation);
  assert.is(supervisor.observe('counter').restarts, 1);
  const stale = await before.read(count());
  assert.is(isLeft(stale) && stale.left.kind, 'not-sent');
  must(await client().read(count()), 'read over the new one');
});

test('a health check that fails while it runs withdraws the add-on and replaces its process [RUNTIME-028] [RUNTIME-029]', async () => {
  const { supervisor, spec, client, trace } = await open();
  const launch = spec({ behaviour: { wrongHealthAfter: 3 } });
  must(await supervisor.start(launch), 'start');
  const first = client().incarnation;
  writeFileSync(join(launch.packageDir, 'behaviour.json'), '{}');
  await eventually('replaced', () => {
    const now = supervisor.current('counter', 1);
    return now._tag === 'Right' && now.right.incarnation !== first;
  });
  assert.not.ok(alive(pidsOf(trace())[0] as number));
});

test('a process that stands still fails its health check and is replaced [RUNTIME-029]', async () => {
  const { supervisor, spec, trace } = await open({ settings: { healthTimeoutMs: 500 } });
  must(await supervisor.start(spec()), 'start');
  const [pid] = pidsOf(trace()) as [number];
  process.kill(pid, 'SIGSTOP');
  await eventually('withdrawn', () => isLeft(supervisor.current('counter', 1)));
  await eventually('running again', () => supervisor.observe('counter').state === 'running');
  assert.not.ok(alive(pid));
});

test('sustained health gives the whole budget back [RUNTIME-032]', async () => {
  const { supervisor, spec, trace } = await open({
    settings: { healthEveryMs: 40, sustainedMs: 80 },
    limits: { attempts: 2 },
  });
  must(await supervisor.start(spec({ behaviour: { exitAfterMs: 500 } })), 'start');
  await eventually('more launches than the budget has', () => pidsOf(trace()).length >= 4, 20_000);
});

test('a package that does not match its receipt is not launched, and not tried again', async () => {
  const { supervisor, spec, trace, events } = await open();
  let asked = 0;
  const verify = async () => {
    asked += 1;
    return left('its executable does not match its receipt');
  };
  const outcome = await supervisor.start({ ...spec(), verify });
  assert.match(reason(outcome), /does not match its receipt/);
  assert.equal(supervisor.observe('counter'), {
    state: 'failed',
    generation: 1,
    restarts: 0,
    reason: 'its executable does not match its receipt',
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.is(asked, 1);
  assert.equal(trace(), []);
  assert.equal(events(), []);
  must(await supervisor.start({ ...spec(), verify: async () => right(undefined) }), 'a later start');
});

test('a file that only a shell could run is refused, since there is no shell [RUNTIME-012]', async () => {
  const { supervisor, spec, events } = await open();
  const launch = spec();
  writeFileSync(join(launch.packageDir, 'addon.py'), 'echo started > "$PWD/trace.log"\n', { mode: 0o755 });
  const outcome = await supervisor.start(launch);
  assert.match(reason(outcome), /neither an ELF program nor a script/);
  assert.equal(events(), []);
});

test('an interpreter that is missing is a failed launch with its reason', async () => {
  const { supervisor, spec } = await open({ limits: { attempts: 1 } });
  const launch = spec();
  writeFileSync(join(launch.packageDir, 'addon.py'), '#!/no/such/interpreter\n', { mode: 0o755 });
  assert.match(reason(await supervisor.start(launch)), /could not be started \(ENOENT\)/);
  assert.ok(rig.events().includes('ProcessExited'));
});

test('a hundred callers at once cause one start', async () => {
  const { supervisor, spec, trace } = await open();
  const launch = spec();
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => supervisor.start(launch)));
  for (const outcome of outcomes) must(outcome, 'start');
  assert.is(pidsOf(trace()).length, 1);
});

test('a change whose process died is not sent to its replacement, and leaves no receipt there [RUNTIME-051]', async () => {
  const { supervisor, spec, client } = await open();
  const launch = spec({ behaviour: { calls: { '/apply': { exit: 9 } } } });
  must(await supervisor.start(launch), 'start');
  writeFileSync(join(launch.packageDir, 'behaviour.json'), '{}');
  const first = client();
  const create = { resourceId: 'c-1', action: 'create', arguments: { tool: 'create', name: 'One' } };
  const outcome = await first.apply(envelope('apply', create), { schema: 1, data: 0 });
  assert.is(isLeft(outcome) && outcome.left.kind, 'outage');
  await eventually('replaced', () => {
    const now = supervisor.current('counter', 1);
    return now._tag === 'Right' && now.right.incarnation !== first.incarnation;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const receipt = await client().receipt('op-1');
  assert.is(isLeft(receipt) && receipt.left.kind, 'no-receipt');
});

test('a start caller waits at most readiness and two shutdown intervals [RUNTIME-048]', async () => {
  const { supervisor, spec } = await open({ settings: { readinessMs: 300 }, limits: { shutdownTimeoutMs: 100 } });
  const began = Date.now();
  const stuck = await supervisor.start({ ...spec(), verify: () => new Promise(() => {}) });
  assert.ok(isLeft(stuck));
  assert.ok(Date.now() - began >= 480);
});

test('nothing of a moved storage is started, and the reason names both places', async () => {
  const { supervisor, spec, trace, events } = await open({ options: { withheld: 'created at /a, now at /b' } });
  assert.is(reason(await supervisor.start(spec())), 'created at /a, now at /b');
  assert.equal(trace(), []);
  assert.equal(events(), []);
});

test('nothing starts before earlier processes were accounted for [RUNTIME-001]', async () => {
  rig = await openRig();
  assert.ok(isLeft(await rig.supervisor.start(rig.spec())));
  assert.equal(rig.trace(), []);
});

test.run();
