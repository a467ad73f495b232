/** Control groups against a folder that looks like the unified hierarchy, and the figures read from `/proc`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddonLimits } from '../../../src/contract/addon-limits.js';
import { openControlGroups } from '../../../src/process/cgroups.js';
import { Held } from '../../../src/process/held.js';
import { measureGroups, parseStat, UsageMeter } from '../../../src/process/usage.js';
import { assert, suite } from '../../support/harness.js';
import { systemClock } from '../../support/supervisor-rig.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('control groups and use');

/** A service's own group, as the kernel shows it to the one process in it. */
function hierarchy(change: { procs?: string; controllers?: string; self?: string } = {}) {
  const root = tempDir('cgroup');
  const own = join(root, 'castellan.service');
  mkdirSync(own);
  writeFileSync(join(own, 'cgroup.controllers'), change.controllers ?? 'cpuset cpu io memory pids\n');
  writeFileSync(join(own, 'cgroup.procs'), change.procs ?? '77\n');
  writeFileSync(join(root, 'self'), change.self ?? '0::/castellan.service\n');
  const read = (path: string) => readFileSync(join(own, path), 'utf8');
  return { own, read, places: { root, self: join(root, 'self'), pid: 77 } };
}

test('a server alone in its group moves aside and gives each add-on a group with its limits', () => {
  const { places, read, own } = hierarchy();
  const groups = openControlGroups(places);
  assert.is(read('castellan-owner/cgroup.procs'), '77');
  assert.is(read('cgroup.subtree_control'), '+cpu +memory +pids');
  const group = groups?.group('tables');
  group?.enter(4_711);
  group?.set({ memoryBytes: 1_000_000, cpuMillis: 500, processes: 7 });
  assert.is(read('castellan-tables/cgroup.procs'), '4711');
  assert.is(read('castellan-tables/memory.max'), '1000000');
  assert.is(read('castellan-tables/memory.oom.group'), '1');
  assert.is(read('castellan-tables/cpu.max'), '50000 100000');
  assert.is(read('castellan-tables/pids.max'), '7');
  group?.set({});
  for (const file of ['memory.max', 'pids.max']) assert.is(read(`castellan-tables/${file}`), 'max');
  assert.is(read('castellan-tables/cpu.max'), 'max 100000');
  assert.ok(existsSync(own));
});

test('where other processes share the group, a controller is missing or there is no unified hierarchy, nothing is touched', () => {
  for (const change of [
    { procs: '77\n78\n' },
    { procs: '78\n' },
    { controllers: 'cpu pids\n' },
    { self: '4:memory:/x\n' },
    { self: '' },
  ]) {
    const { places, own } = hierarchy(change);
    assert.is(openControlGroups(places), undefined, JSON.stringify(change));
    assert.not.ok(existsSync(join(own, 'castellan-owner')));
  }
});

test('an add-on that the kernel ended for its memory is said to be over its limit', () => {
  const { places, own } = hierarchy();
  const groups = openControlGroups(places);
  const usage = new UsageMeter(
    () => 0,
    () => new Map(),
  );
  const set: unknown[] = [];
  const child = { pid: 4_711, setLimit: (...args: unknown[]) => set.push(args) > 0 };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const deps = { clock: systemClock, log, usage, cgroups: () => groups, limitsEveryMs: 10 };
  const limits: AddonLimits = { memoryBytes: 64 * 1_048_576, openFiles: 99 };
  const held = new Held(deps, child, 'tables', () => limits);
  assert.is(held.heldBy, 'cgroup');
  assert.equal(set, [[7, 99, true]], 'the data size is left to the group');
  writeFileSync(join(own, 'castellan-tables/memory.events'), 'low 0\nmax 3\noom 1\noom_kill 1\n');
  assert.is(held.release(), 'it used more memory than its limit of 64 MiB');
  writeFileSync(join(own, 'castellan-tables/memory.events'), 'oom 0\noom_kill 0\n');
  assert.is(new Held(deps, child, 'tables', () => limits).release(), undefined);
  assert.is(new Held(deps, child, 'other', () => ({})).heldBy, 'rlimit', 'no group without a limit');
  assert.not.ok(existsSync(join(own, 'castellan-other')));
});

test('a line of the kernel about a process is read after its last bracket', () => {
  const fields = ['S', '1', '4711', '4711', ...Array.from({ length: 40 }, (_, index) => String(index + 4))];
  assert.equal(parseStat(`4711 (a) b (c)) ${fields.join(' ')}`), { group: 4_711, cpuMs: (11 + 12 + 13 + 14) * 10 });
});

test('the group of this very process is found with what it uses', () => {
  const { group } = parseStat(readFileSync('/proc/self/stat', 'utf8'));
  const mine = measureGroups(new Set([group])).get(group);
  assert.ok((mine?.processes ?? 0) >= 1);
  assert.ok((mine?.memoryBytes ?? 0) > 10_000_000);
  assert.is(measureGroups(new Set([2 ** 30])).size, 0);
});

test('the rate of processor time is over the last looks, and many askers share one look', () => {
  let now = 0;
  let looks = 0;
  let cpuMs = 0;
  const meter = new UsageMeter(
    () => now,
    () => {
      looks += 1;
      return new Map([[5, { memoryBytes: 1, processes: 1, openFiles: 3, cpuMs }]]);
    },
  );
  meter.watch(5);
  [now, cpuMs] = [1_000, 1_000];
  for (let n = 0; n < 50; n += 1) assert.is(meter.use(5)?.cpuMillis, 1_000);
  assert.is(looks, 1);
  [now, cpuMs] = [2_000, 1_250];
  assert.is(meter.use(5)?.cpuMillis, 250);
  meter.forget(5);
  assert.is(meter.use(5), undefined);
});

test.run();
