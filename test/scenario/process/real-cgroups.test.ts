/**
 * Control groups against the kernel's own tree, as far as this machine lets go of it. Where a group can be made and has
 * the controllers for processor time, memory and processes, limits are set and hold. Where the kernel keeps these
 * controllers elsewhere (the hybrid layout of v1 and v2) or lets nobody make a group, nothing may be taken or moved.
 * On the machines this was developed on only the second half ran: the tree is writable there and has no controllers.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CgroupPlaces, openControlGroups } from '../../../src/process/cgroups.js';
import { assert, suite } from '../../support/harness.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('the kernel tree of control groups');
const CONTROLLERS = ['cpu', 'memory', 'pids'];

/** Where the unified hierarchy is mounted; undefined on a machine without one. */
function mounted(): string | undefined {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.find((line) => / - cgroup2 /.test(line))?.split(' ')[4];
}

/** A group of its own in the tree; undefined where none can be made. */
function ownGroup(root: string): string | undefined {
  const group = join(root, `castellan-test-${process.pid}`);
  try {
    mkdirSync(group);
    return group;
  } catch {
    return undefined;
  }
}

const wordsIn = (file: string) => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);

async function ended(child: ChildProcess): Promise<void> {
  const over = once(child, 'exit');
  child.kill('SIGKILL');
  await over;
}

/** The kernel lets go of a group a moment after its last process. */
async function removed(group: string): Promise<void> {
  for (let left = 100; existsSync(group); left -= 1)
    try {
      rmdirSync(group);
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
}

async function limitsHold(group: string, places: CgroupPlaces): Promise<void> {
  const groups = openControlGroups(places);
  assert.ok(groups !== undefined, 'the kernel offers the controllers');
  assert.equal(wordsIn(join(group, 'castellan-owner', 'cgroup.procs')), [String(places.pid)]);
  const held = groups?.group('demo');
  const shell = spawn('sh', ['-c', 'read go; sleep 60 & sleep 60 & sleep 60 & wait'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  shell.stderr?.on('data', (bytes) => {
    said += String(bytes);
  });
  try {
    held?.enter(shell.pid ?? 0);
    held?.set({ memoryBytes: 64 * 1_048_576, cpuMillis: 500, processes: 2 });
    assert.equal(wordsIn(join(group, 'castellan-demo', 'cpu.max')), ['50000', '100000']);
    shell.stdin?.write('go\n');
    for (let left = 250; said === '' && left > 0; left -= 1) await new Promise((next) => setTimeout(next, 20));
    assert.ok(said !== '', 'the third process of the group is refused by the kernel');
    assert.ok(wordsIn(join(group, 'castellan-demo', 'cgroup.procs')).length <= 2);
  } finally {
    for (const pid of wordsIn(join(group, 'castellan-demo', 'cgroup.procs'))) process.kill(Number(pid), 'SIGKILL');
    await removed(join(group, 'castellan-demo'));
  }
}

test('a server alone in a group of the kernel holds add-ons to their limits there, or takes nothing where it cannot', async () => {
  const root = mounted();
  const group = root === undefined ? undefined : ownGroup(root);
  if (root === undefined || group === undefined) {
    const before = readFileSync('/proc/self/cgroup', 'utf8');
    assert.is(openControlGroups(), undefined, 'this process shares its group with whoever runs the tests');
    assert.is(readFileSync('/proc/self/cgroup', 'utf8'), before);
    return;
  }
  const server = spawn('sleep', ['120'], { stdio: 'ignore' });
  try {
    writeFileSync(join(group, 'cgroup.procs'), String(server.pid));
    const self = join(tempDir('cgroup-self'), 'self');
    writeFileSync(self, `0::${group.slice(root.length)}\n`);
    const places = { root, self, pid: server.pid ?? 0 };
    const offered = wordsIn(join(group, 'cgroup.controllers'));
    if (CONTROLLERS.every((name) => offered.includes(name))) await limitsHold(group, places);
    else {
      assert.is(openControlGroups(places), undefined);
      assert.not.ok(existsSync(join(group, 'castellan-owner')));
      assert.equal(wordsIn(join(group, 'cgroup.procs')), [String(server.pid)], 'nothing was moved');
      assert.equal(wordsIn(join(group, 'cgroup.subtree_control')), []);
    }
  } finally {
    await ended(server);
    if (existsSync(join(group, 'castellan-owner'))) await removed(join(group, 'castellan-owner'));
    await removed(group);
  }
});

test.run();
