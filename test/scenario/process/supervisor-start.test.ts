/** Starting an add-on: what the process is given, when it counts as ready, and what a broken one comes to. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft, must } from '../../../src/contract/fp.js';
import { announced, DEFAULT_LIMITS } from '../../../src/contract/limits.js';
import { assert, suite } from '../../support/harness.js';
import { envelope, eventually, openRig, type Rig } from '../../support/supervisor-rig.js';

const test = suite('supervisor: start');
let rig: Rig;
const open = async (options: Parameters<typeof openRig>[0] = {}) => {
  rig = await openRig(options);
  must(await rig.supervisor.recover(), 'recover');
  return rig;
};
test.afterEach(() => rig.close());

interface Given {
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  readonly descriptors: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly listens: number;
  readonly listenerBlocks: boolean;
  readonly listensOn: readonly [string, number];
}

test('a ready add-on answers a read over its own client', async () => {
  const { supervisor, spec, client, events } = await open();
  must(await supervisor.start(spec()), 'start');
  assert.equal(supervisor.observe('counter'), { state: 'running', generation: 1, restarts: 0 });
  assert.equal(events(), ['LaunchPending', 'ProcessStarted', 'ProcessReady']);
  const read = await client().read(envelope('read', { arguments: { tool: 'count' } }));
  assert.equal(must(read, 'read'), { payload: { counters: 0 } });
});

test('the ready incarnation is there for exactly its generation, and only once it is ready [RUNTIME-049]', async () => {
  const { supervisor, spec } = await open();
  const starting = supervisor.start(spec({ generation: 3 }));
  assert.ok(isLeft(supervisor.current('counter', 3)));
  assert.is(supervisor.observe('counter').state, 'starting');
  must(await starting, 'start');
  assert.is(must(supervisor.current('counter', 3), 'current').generation, 3);
  for (const other of [2, 4]) assert.ok(isLeft(supervisor.current('counter', other)));
  assert.ok(isLeft(supervisor.current('other', 3)));
});

test('accounting for earlier processes a second time leaves the present ones alone', async () => {
  const { supervisor, spec, client } = await open();
  must(await supervisor.start(spec()), 'start');
  const { incarnation } = client();
  must(await supervisor.recover(), 'recover again');
  must(await client().read(envelope('read', { arguments: { tool: 'count' } })), 'read');
  assert.is(client().incarnation, incarnation);
});

test('the process is given one argument, two variables and its data directory [RUNTIME-012] [RUNTIME-013]', async () => {
  process.env.NODE_V8_COVERAGE = `${process.cwd()}/build/none`;
  process.env.HTTPS_PROXY = 'http://proxy.invalid';
  const { supervisor, spec, file, dataDir } = await open();
  must(await supervisor.start(spec({ behaviour: { report: true } })), 'start');
  delete process.env.NODE_V8_COVERAGE;
  delete process.env.HTTPS_PROXY;
  const given = JSON.parse(file('counter', 'given.json')) as Given;
  assert.equal(given.argv, ['--localai-addon-v1']);
  assert.equal([...given.environment].sort(), ['LANG=C', 'TZ=UTC']);
  assert.is(given.cwd, dataDir('counter'));
});

test('descriptors 0 to 4 reach the process and no other: null, two log pipes, a listener, the startup pipe [RUNTIME-014]', async () => {
  const { supervisor, spec, file } = await open();
  must(await supervisor.start(spec({ behaviour: { report: true } })), 'start');
  const given = JSON.parse(file('counter', 'given.json')) as Given;
  const { descriptors } = given;
  // The listing itself holds one more while it reads.
  const listed = Object.entries(descriptors).filter(([, target]) => !/\/fd$/.test(target));
  assert.equal(listed.map(([fd]) => Number(fd)).sort(), [0, 1, 2, 3, 4]);
  assert.is(descriptors['0'], '/dev/null');
  for (const fd of ['1', '2', '4']) assert.match(descriptors[fd] as string, /^pipe:/);
  assert.match(descriptors['3'] as string, /^socket:/);
  assert.is(given.listens, 1, 'it listens already');
  assert.is(given.listenerBlocks, true, 'a plain accept waits');
  assert.is(given.listensOn[0], '127.0.0.1');
});

test('the startup line holds registration, credential, data directory and finite limits [RUNTIME-015]', async () => {
  const { supervisor, spec, file, dataDir } = await open({ limits: DEFAULT_LIMITS });
  const launch = spec({ behaviour: { report: true } });
  must(await supervisor.start(launch), 'start');
  const startup = JSON.parse(file('counter', 'startup.json')) as Record<string, Record<string, unknown>>;
  const { registration } = startup;
  assert.equal(Object.keys(startup).sort(), ['credential', 'dataDir', 'limits', 'registration']);
  assert.match(startup.credential as unknown as string, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(startup.dataDir as unknown, dataDir('counter'));
  assert.equal(startup.limits, { ...announced(DEFAULT_LIMITS) });
  assert.match(registration?.incarnation as string, /^[0-9a-f]{32}$/);
  assert.match(registration?.endpoint as string, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(
    { ...registration, incarnation: '', endpoint: '' },
    {
      protocol: 1,
      addonId: 'counter',
      version: '1.0.0',
      generation: 1,
      incarnation: '',
      endpoint: '',
      capabilities: launch.capabilities,
    },
  );
});

test('an add-on that exits at once has five attempts and is then failed with its reason in words [RUNTIME-031] [RUNTIME-053]', async () => {
  const { supervisor, spec, trace, events } = await open();
  const outcome = await supervisor.start(spec({ behaviour: { exitAtOnce: 3 } }));
  assert.ok(isLeft(outcome));
  assert.match((outcome as { left: { reason: string } }).left.reason, /exited with code 3 before it was ready/);
  await eventually('the budget is spent', () => events().at(-1) === 'AttemptBudgetSpent');
  const seen = supervisor.observe('counter');
  assert.match(seen.reason ?? '', /exited with code 3/);
  assert.is(trace().length, 5);
  assert.is(seen.state, 'failed');
  assert.ok(isLeft(supervisor.current('counter', 1)));
});

test('nothing is left open in the owner after an add-on was stopped', async () => {
  const { supervisor, spec } = await open();
  const count = () => readdirSync('/proc/self/fd').length;
  must(await supervisor.start(spec()), 'first start');
  must(await supervisor.stop('counter'), 'first stop');
  const before = count();
  for (let round = 0; round < 5; round++) {
    must(await supervisor.start(spec()), 'start');
    must(await supervisor.stop('counter'), 'stop');
  }
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  assert.ok(count() <= before + 1, `${count()} descriptors, ${before} before`);
});

test('the reason of a data directory that cannot be made names no path, since callers read it', async () => {
  const { supervisor, spec, dataDir } = await open();
  const blocked = join(dataDir('counter'), 'file');
  mkdirSync(dataDir('counter'), { recursive: true });
  writeFileSync(blocked, '');
  const started = await supervisor.start({ ...spec(), dataDir: join(blocked, 'below') });
  assert.ok(isLeft(started));
  assert.is(started.left.reason, 'its data directory cannot be used (ENOTDIR)');
});

test.run();
