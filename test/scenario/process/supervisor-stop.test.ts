/** Ending an add-on: admission first, a bounded drain, a confirmed end, and nothing beside what may still run. */
import { isLeft, isRight, left, must } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import { type Libc, libc } from '../../../src/process/libc.js';
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

const test = suite('supervisor: stop');
let rig: Rig;
const open = async (options: RigOptions = {}) => {
  rig = await openRig(options);
  must(await rig.supervisor.recover(), 'recover');
  return rig;
};
test.afterEach(() => rig.close());

const value = () => envelope('read', { arguments: { tool: 'count' } });
const slowRead = (ms: number) => ({ calls: { '/read': { sleepMs: ms } } });
const reason = (outcome: { _tag: string; left?: { reason: string } }) => outcome.left?.reason ?? '';

/** A kernel in which no signal ever arrives, until `arrive` is called. */
function deaf(): { kernel: () => Libc; arrive: () => void } {
  let heard = false;
  const kernel: Libc = {
    ...libc(),
    signal: (handle, signal, group) => (heard ? libc().signal(handle, signal, group) : true),
  };
  return { kernel: () => kernel, arrive: () => (heard = true) };
}

test('stop refuses new calls at once and lets a running one finish [RUNTIME-041] [RUNTIME-028]', async () => {
  const { supervisor, spec, client, events } = await open();
  must(await supervisor.start(spec({ behaviour: slowRead(300) })), 'start');
  const bound = client();
  const running = bound.read(value());
  await new Promise((resolve) => setTimeout(resolve, 50));
  const stopped = supervisor.stop('counter');
  assert.ok(isLeft(supervisor.current('counter', 1)));
  const refused = await bound.read(value());
  assert.is(isLeft(refused) && refused.left.kind, 'not-sent');
  assert.equal(must(await running, 'the running call'), { payload: { counters: 0 } });
  must(await stopped, 'stop');
  assert.equal(supervisor.observe('counter'), { state: 'stopped', restarts: 0 });
  assert.equal(events().slice(-2), ['ProcessDraining', 'ProcessExited']);
});

test('a call that outlasts the drain is cut and its outcome is not known', async () => {
  const { supervisor, spec, client } = await open();
  must(await supervisor.start(spec({ behaviour: slowRead(20_000) })), 'start');
  const running = client().read(value());
  await new Promise((resolve) => setTimeout(resolve, 50));
  must(await supervisor.stop('counter'), 'stop');
  const outcome = await running;
  assert.is(isLeft(outcome) && outcome.left.kind, 'outage');
});

test('stop succeeds only when the process is gone, also one that ignores SIGTERM [RUNTIME-045]', async () => {
  const { supervisor, spec, trace } = await open();
  must(await supervisor.start(spec({ behaviour: { ignoreTerm: true } })), 'start');
  const [pid] = pidsOf(trace()) as [number];
  assert.ok(alive(pid));
  must(await supervisor.stop('counter'), 'stop');
  assert.not.ok(alive(pid));
});

test('stop ends an add-on that is still starting, and its start says so', async () => {
  const { supervisor, spec, trace } = await open();
  const starting = supervisor.start(spec({ behaviour: { neverReady: true } }));
  const [pid] = await eventually('it began', () => (pidsOf(trace()).length > 0 ? pidsOf(trace()) : undefined));
  must(await supervisor.stop('counter'), 'stop');
  assert.not.ok(alive(pid as number));
  assert.match(reason(await starting), /stopped/);
  assert.is(supervisor.observe('counter').state, 'stopped');
});

test('a stop that could not confirm the end keeps the place until it is confirmed [RUNTIME-042] [RUNTIME-044] [RUNTIME-046] [RUNTIME-048]', async () => {
  const { kernel, arrive } = deaf();
  const { supervisor, spec, trace, events } = await open({ options: { libc: kernel } });
  must(await supervisor.start(spec()), 'start');
  const began = Date.now();
  const stopped = await supervisor.stop('counter');
  assert.match(reason(stopped), /has not been confirmed to have ended/);
  assert.ok(Date.now() - began >= 1_900 && Date.now() - began < 8_000, 'two shutdown intervals');
  const [pid] = pidsOf(trace()) as [number];
  assert.ok(alive(pid));
  const next = await supervisor.start(spec({ generation: 2 }));
  assert.match(reason(next), /has not been confirmed to have ended/);
  assert.is(pidsOf(trace()).length, 1);
  assert.is(events().filter((type) => type === 'LaunchPending').length, 1);
  arrive();
  process.kill(pid, 'SIGKILL');
  must(await supervisor.stop('counter'), 'stop joins the end');
  must(await supervisor.start(spec({ generation: 2 })), 'the next generation');
});

test('another generation starts only when the one before it is gone [RUNTIME-046]', async () => {
  const { supervisor, spec, trace } = await open();
  must(await supervisor.start(spec({ behaviour: { ignoreTerm: true } })), 'start');
  const [first] = pidsOf(trace()) as [number];
  const bound = rig.client();
  const second = supervisor.start(spec({ generation: 2 }));
  await eventually('the second one began', () => {
    const both = pidsOf(trace()).length === 2;
    assert.ok(!both || !alive(first), 'the first one still runs');
    return both;
  });
  must(await second, 'the second generation');
  assert.is(supervisor.observe('counter').generation, 2);
  const refused = await bound.read(value());
  assert.is(isLeft(refused) && refused.left.kind, 'not-sent');
});

test('shutdown withdraws every add-on before it waits for any, and a repeat joins the cleanup [RUNTIME-054] [RUNTIME-055]', async () => {
  const { kernel, arrive } = deaf();
  const { supervisor, spec, trace } = await open({ options: { libc: kernel } });
  const ids = ['one', 'two', 'three'];
  for (const id of ids) must(await supervisor.start(spec({ id })), id);
  const ending = supervisor.shutdown();
  for (const id of ids) assert.ok(isLeft(supervisor.current(id, 1)), `${id} is withdrawn at once`);
  const first = await ending;
  for (const id of ids) assert.match(reason(first), new RegExp(`process of ${id} has not been confirmed`));
  assert.ok(isLeft(await supervisor.start(spec({ id: 'four' }))), 'nothing starts any more');
  arrive();
  for (const id of ids) for (const pid of pidsOf(trace(id))) process.kill(pid, 'SIGKILL');
  must(await supervisor.shutdown(), 'the repeated shutdown');
  for (const id of ids) for (const pid of pidsOf(trace(id))) assert.not.ok(alive(pid));
});

test('an end that cannot be recorded fences every further launch [RUNTIME-047]', async () => {
  const { supervisor, spec, ledger, trace } = await open();
  must(await supervisor.start(spec()), 'start');
  must(await supervisor.start(spec({ id: 'other' })), 'start');
  ledger.exited = async () => left(refuse('fenced', 'The journal is fenced.'));
  const stopped = await supervisor.stop('counter');
  assert.match(reason(stopped), /could not be recorded/);
  assert.not.ok(alive(pidsOf(trace())[0] as number));
  assert.match(reason(await supervisor.start(spec({ id: 'third' }))), /could not be recorded/);
  assert.equal(trace('third'), []);
  assert.ok(isRight(supervisor.current('other', 1)), 'what runs goes on');
});

test('a fault of the ledger ends the process and launches nothing more [RUNTIME-047]', async () => {
  const { supervisor, spec, ledger, trace } = await open();
  ledger.exited = () => Promise.reject(new Error('a bug'));
  const outcome = await supervisor.start(spec({ behaviour: { exitAtOnce: 1 } }));
  assert.ok(isLeft(outcome));
  await eventually('it is failed', () => supervisor.observe('counter').state === 'failed');
  assert.is(pidsOf(trace()).length, 1);
  assert.ok(isLeft(await supervisor.start(spec({ id: 'other' }))));
});

test('a process whose identity could not be recorded is ended without its credential [RUNTIME-019]', async () => {
  const { supervisor, spec, ledger, trace } = await open({ limits: { attempts: 1 } });
  ledger.started = async () => left(refuse('insufficient_storage', 'The disk is almost full.'));
  const outcome = await supervisor.start(spec());
  assert.match(reason(outcome), /start could not be recorded/);
  for (const pid of pidsOf(trace())) assert.not.ok(alive(pid));
  assert.not.ok(trace().some((line) => line.startsWith('incarnation')));
});

test('a stop that comes while its process is being recorded does not wait until it would be ready', async () => {
  const { supervisor, spec, ledger, trace } = await open({ settings: { readinessMs: 60_000 } });
  let recording = () => {};
  const reached = new Promise<void>((resolve) => {
    recording = resolve;
  });
  const { started } = ledger;
  let goOn = () => {};
  ledger.started = async (...given) => {
    recording();
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return started.apply(ledger, given);
  };
  const starting = supervisor.start(spec({ behaviour: { neverReady: true } }));
  await reached;
  const stopping = supervisor.stop('counter');
  goOn();
  must(await stopping, 'stop');
  assert.ok(isLeft(await starting));
  for (const pid of pidsOf(trace())) assert.not.ok(alive(pid));
});

test('an intent that could not be recorded starts nothing [RUNTIME-020]', async () => {
  const { supervisor, spec, ledger, trace } = await open({ limits: { attempts: 1 } });
  ledger.pending = async () => left(refuse('insufficient_storage', 'The disk is almost full.'));
  assert.match(reason(await supervisor.start(spec())), /could not be recorded/);
  assert.equal(trace(), []);
});

test.run();
