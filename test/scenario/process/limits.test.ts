/** What an operator allows an add-on to use: held by rlimits and by a look each moment, and said in words when passed. */
import { readFileSync } from 'node:fs';
import type { AddonLimits } from '../../../src/contract/addon-limits.js';
import { must } from '../../../src/contract/fp.js';
import type { FixtureOptions } from '../../support/fixture-addon.js';
import { assert, suite } from '../../support/harness.js';
import { alive, eventually, openRig, pidsOf, type Rig } from '../../support/supervisor-rig.js';

const test = suite('limits of an add-on');
const MIB = 1_048_576;
const LOW = 60 * MIB;
const FEW = 2;
let rig: Rig;
test.beforeEach(async () => {
  rig = await openRig({ settings: { limitsEveryMs: 50 }, options: { cgroups: () => undefined } });
  must(await rig.supervisor.recover(), 'recover');
});
test.afterEach(() => rig.close());

/** Starts the counter under limits that the test may change while it runs. */
async function started(
  limits: AddonLimits,
  behaviour: FixtureOptions['behaviour'] = {},
): Promise<{ now: AddonLimits }> {
  const held = { now: limits };
  const spec = { ...rig.spec({ behaviour }), limits: () => held.now };
  const outcome = await rig.supervisor.start(spec);
  // On a slow machine a limit may be passed before the add-on is ready.
  if (limits.memoryBytes !== LOW && limits.processes !== FEW) must(outcome, 'start');
  return held;
}
const pid = () => pidsOf(rig.trace()).at(-1) as number;
const rlimit = (name: string) =>
  new RegExp(`^${name} +(\\S+) +(\\S+)`, 'm').exec(readFileSync(`/proc/${pid()}/limits`, 'utf8'))?.slice(1, 3);

test('an add-on over its memory limit is ended, started anew, and says why', async () => {
  await started({ memoryBytes: LOW }, { eatMiB: 90 });
  await eventually('it was started anew', () => rig.supervisor.observe('counter').restarts > 0);
  assert.match(
    rig.supervisor.observe('counter').restartReason ?? '',
    /^it used \d+ MiB of memory, and its limit is 60 MiB$/,
  );
  assert.ok(
    rig.logged.some(({ level, fields }) => level === 'warn' && /its limit is 60 MiB/.test(JSON.stringify(fields))),
  );
  assert.ok(pidsOf(rig.trace()).filter(alive).length <= 1);
});

test('an add-on that starts more processes than it may is ended with all of them', async () => {
  await started({ processes: FEW }, { fork: 3 });
  await eventually('it was started anew', () => rig.supervisor.observe('counter').restarts > 0);
  assert.is(rig.supervisor.observe('counter').restartReason, 'it ran 4 processes, and its limit is 2');
});

test('open files are limited in the kernel from the start, and a change reaches the running process', async () => {
  const held = await started({ openFiles: 64, memoryBytes: 512 * MIB });
  assert.equal(rlimit('Max open files'), ['64', '64']);
  assert.equal(rlimit('Max data size'), [String(2 * 512 * MIB + 256 * MIB), 'unlimited']);
  held.now = { openFiles: 48 };
  rig.supervisor.limitsChanged('counter');
  assert.equal(rlimit('Max open files'), ['48', '48']);
  assert.is(rlimit('Max data size')?.[0], 'unlimited');
  assert.is(rig.supervisor.observe('counter').restarts, 0, 'nobody was started anew for it');
});

test('what an add-on uses is told while it runs: memory, processor time, files and processes', async () => {
  await started({}, { fork: 2, leakDescriptors: 20 });
  const { use, heldBy } = rig.supervisor.use('counter');
  assert.is(heldBy, 'rlimit');
  assert.is(use?.processes, 3);
  assert.ok((use?.openFiles ?? 0) >= 25, `${use?.openFiles} files`);
  assert.ok((use?.memoryBytes ?? 0) > 5 * MIB, `${use?.memoryBytes} bytes`);
  assert.ok((use?.cpuMillis ?? -1) >= 0);
  must(await rig.supervisor.stop('counter'), 'stop');
  assert.is(rig.supervisor.use('counter').use, undefined);
  assert.is(rig.supervisor.use('nobody').use, undefined);
});

test('an add-on within its limits is left alone', async () => {
  await started({ memoryBytes: 512 * MIB, processes: 8, openFiles: 256, cpuMillis: 500 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(rig.supervisor.observe('counter'), { state: 'running', generation: 1, restarts: 0 });
});

test('every line an add-on writes goes to the log of the host, once and whole, and the last 200 are kept', async () => {
  await started({}, { printLines: 250 });
  const lines = () => rig.logged.filter(({ message }) => message === 'add-on output');
  await eventually('all lines came', () => lines().length >= 250);
  assert.equal(lines()[249]?.fields, { addonId: 'counter', stream: 'stdout', line: 'line 249' });
  assert.is(lines().length, 250);
  assert.is(rig.supervisor.log('counter').length, 200);
  assert.is(rig.supervisor.log('counter')[0], 'line 50');
});

test.run();
