/**
 * Add-ons that do everything wrong at once, beside one that does nothing wrong: each costs itself its place, and nobody
 * else anything. The rest of the file holds one rule each against one fault seen in systems of this kind.
 */
import { setMaxListeners } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft, must, right } from '../../../src/contract/fp.js';
import type { Json } from '../../../src/contract/json.js';
import { assert, suite } from '../../support/harness.js';
import {
  alive,
  envelope,
  eventually,
  openRig,
  pidsOf,
  type Rig,
  type RigOptions,
  runningBelow,
} from '../../support/supervisor-rig.js';

const test = suite('chaos');
let rig: Rig;
const open = async (options: RigOptions = {}) => {
  rig = await openRig(options);
  must(await rig.supervisor.recover(), 'recover');
  return rig;
};
test.afterEach(() => rig.close());

const reason = (outcome: { _tag: string; left?: { reason: string } }) => outcome.left?.reason ?? '';
const count = (addonId = 'counter') => envelope('read', { addonId, arguments: { tool: 'count' } });
const descriptors = () => readdirSync('/proc/self/fd').length;

const CHAOS: Readonly<Record<string, Record<string, Json>>> = {
  'exits-at-once': { exitAtOnce: 7 },
  'never-reads': { neverRead: true },
  'never-ready': { neverReady: true },
  'ready-late': { readyAfterMs: 60_000 },
  'lies-of-health': { wrongHealth: { generation: 2 } },
  'lies-later': { wrongHealthAfter: 2 },
  'answers-slowly': { calls: { '/health': { sleepMs: 400 } } },
  floods: { floodStderr: 4_000_000 },
  forks: { fork: 4 },
  'ignores-term': { ignoreTerm: true, ignoreEof: true },
  leaks: { leakDescriptors: 200 },
  'closes-startup': { closeStartup: true },
};
/** Those whose misbehaviour does not keep them from serving. */
const SERVING = ['answers-slowly', 'floods', 'forks', 'ignores-term', 'leaks', 'closes-startup'];

test('twelve kinds of chaos at once: one process an add-on at any time, the good one serves, and nothing is left at the end', async () => {
  const { supervisor, spec, client, ledger, dir } = await open({
    settings: { readinessMs: 4_000, launchPlaceMs: 300 },
  });
  const most = new Map<string, number>();
  const watching = setInterval(() => {
    const leaders = runningBelow(join(dir, 'data')).filter(({ in: id, pid }) => pidsOf(rig.trace(id)).includes(pid));
    for (const id of new Set(leaders.map((one) => one.in)))
      most.set(id, Math.max(most.get(id) ?? 0, leaders.filter((one) => one.in === id).length));
  }, 25).unref();
  const starts = Object.entries(CHAOS).map(
    async ([id, behaviour]) => [id, await supervisor.start(spec({ id, behaviour }))] as const,
  );
  const good = supervisor.start(spec({ id: 'good' }));
  must(await good, 'the good one starts');
  must(await client('good').read(count('good')), 'and serves');
  const outcomes = new Map(await Promise.all(starts));
  for (const [id, outcome] of outcomes)
    if (id !== 'lies-later') assert.is(isLeft(outcome), !SERVING.includes(id), `${id}: ${JSON.stringify(outcome)}`);
  for (const id of SERVING) must(await client(id).read(count(id)), id);
  for (const id of ['exits-at-once', 'never-ready', 'lies-of-health'])
    assert.match(
      reason(outcomes.get(id) as never),
      /exited with code 7|not ready within 4|differs from its registration/,
    );
  must(await supervisor.shutdown(), 'shutdown');
  clearInterval(watching);
  assert.equal(
    [...most.values()].filter((times) => times > 1),
    [],
    'generations never overlap',
  );
  await eventually('what was forked has ended too', () => runningBelow(join(dir, 'data')).length === 0);
  assert.equal(ledger.unfinished(), []);
});

test('an add-on that exits at any of its routes fails that call alone, is started anew, and serves again', async () => {
  const { supervisor, spec, client } = await open();
  const asked = { resourceId: 'r-1', arguments: { tool: 'add', amount: 1 } };
  const calls = {
    '/read': () => client().read(count()),
    '/preview': () => client().preview(envelope('preview', { action: 'write', ...asked })),
    '/apply': () => client().apply(envelope('apply', { action: 'write', ...asked }), { schema: 1, data: 0 }),
    '/receipt': () => client().receipt('op-1'),
    '/act': () => client().act(envelope('act', { resourceId: 'chat-1', arguments: { tool: 'run' } })),
    '/output': () => client().openOutput(envelope('output', { arguments: {} }), 'h'),
  };
  const launch = spec();
  for (const [path, call] of Object.entries(calls)) {
    writeFileSync(join(launch.packageDir, 'behaviour.json'), JSON.stringify({ calls: { [path]: { exit: 3 } } }));
    must(await supervisor.start(launch), path);
    const before = client().incarnation;
    writeFileSync(join(launch.packageDir, 'behaviour.json'), '{}');
    const outcome = await call();
    assert.is(isLeft(outcome) && outcome.left.kind, 'outage', path);
    await eventually(`${path}: started anew`, () => {
      const now = supervisor.current('counter', 1);
      return now._tag === 'Right' && now.right.incarnation !== before;
    });
    must(await client().read(count()), `${path}: serves again`);
    must(await supervisor.stop('counter'), 'stop');
  }
});

test('one that is ready only after the limit is gone by then, is reported, and its retry adopts nothing', async () => {
  const { supervisor, spec, trace } = await open({ settings: { readinessMs: 600 }, limits: { attempts: 2 } });
  const outcome = await supervisor.start(spec({ behaviour: { readyAfterMs: 800 } }));
  assert.match(reason(outcome), /was not ready within 0.6 seconds/);
  await eventually('the budget is spent', () => supervisor.observe('counter').state === 'failed');
  const incarnations = trace().filter((line) => line.startsWith('incarnation'));
  assert.is(new Set(incarnations).size, incarnations.length);
  assert.equal(pidsOf(trace()).filter(alive), []);
  assert.ok(isLeft(supervisor.current('counter', 1)));
});

test('a start whose first step hangs leaves it at its deadline, names the step, and can be stopped at once', async () => {
  const { supervisor, spec, events } = await open({
    settings: { verifyMs: 150, launchPlaceMs: 50 },
    limits: { attempts: 1 },
  });
  const hanging = { ...spec(), verify: () => new Promise<never>(() => {}) };
  assert.match(
    reason(await supervisor.start(hanging)),
    /package was not compared with its receipt within 0.15 seconds/,
  );
  await eventually('it is failed', () => supervisor.observe('counter').state === 'failed');
  const other = { ...spec({ id: 'other' }), verify: () => new Promise<never>(() => {}) };
  void supervisor.start(other);
  must(await supervisor.stop('other'), 'stop');
  assert.equal([...events('counter'), ...events('other')], [], 'nothing was launched');
  must(await supervisor.start({ ...spec(), verify: async () => right(undefined) }), 'a later start');
});

test('the ledger never names a child that ended before it listened as the current one', async () => {
  const { supervisor, spec, ledger, events, journal, trace } = await open({ limits: { attempts: 3 } });
  const seen: string[] = [];
  journal.onDurable((records) => {
    for (const { type } of records) seen.push(type);
  });
  assert.ok(isLeft(await supervisor.start(spec({ behaviour: { exitAtOnce: 0 } }))));
  await eventually('the budget is spent', () => supervisor.observe('counter').state === 'failed');
  assert.not.ok(events().includes('ProcessReady'));
  assert.is(seen.filter((type) => type === 'LaunchPending').length, 3);
  assert.is(seen.filter((type) => type === 'ProcessExited').length, 3);
  assert.equal(ledger.unfinished(), []);
  assert.equal(pidsOf(trace()).filter(alive), []);
});

test('fifty calls at a time whose callers leave: descriptors, processes and places are what they were', async () => {
  const { supervisor, spec, client, dir } = await open({ limits: { concurrency: 50 } });
  must(await supervisor.start(spec({ behaviour: { calls: { '/read': { sleepMs: 150 } } } })), 'start');
  must(await client().read(count()), 'read');
  const before = descriptors();
  for (let round = 0; round < 6; round += 1) {
    const leave = new AbortController();
    setMaxListeners(0, leave.signal);
    const calls = Array.from({ length: 50 }, () => client().read(count(), leave.signal));
    setTimeout(() => leave.abort(), 60);
    for (const call of calls) assert.ok(isLeft(await call));
  }
  await eventually('the descriptors are given back', () => descriptors() <= before + 1);
  assert.is(runningBelow(join(dir, 'data')).length, 1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  must(await client().read(count()), 'it serves');
  assert.is(supervisor.observe('counter').restarts, 0);
});

test('a thousand streams cut in the middle leave the owner idle', async () => {
  const { supervisor, spec, client } = await open({ limits: { concurrency: 25 } });
  must(await supervisor.start(spec({ behaviour: { calls: { '/output': { bytes: 1_048_576 } } } })), 'start');
  const before = descriptors();
  for (let round = 0; round < 40; round += 1)
    await Promise.all(
      Array.from({ length: 25 }, async () => {
        const stream = must(await client().openOutput(envelope('output', { arguments: {} }), 'h'), 'open');
        for await (const _ of stream.bytes) break;
        stream.close();
      }),
    );
  await eventually('the descriptors are given back', () => descriptors() <= before + 1);
  const used = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const { user, system } = process.cpuUsage(used);
  assert.ok(user + system < 300_000, `${(user + system) / 1_000} ms of processor time in an idle second`);
});

test.run();
