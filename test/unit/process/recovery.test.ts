/** What becomes of a dead owner's launches, against a kernel that answers whatever a test wants. */
import { openSync } from 'node:fs';
import type { LaunchLedger, RecordedLaunch } from '../../../src/commands/ports.js';
import { isLeft, left, right } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import { Deadlines } from '../../../src/process/deadlines.js';
import { recognise } from '../../../src/process/launch-search.js';
import { type Libc, LibcError } from '../../../src/process/libc.js';
import { type Proc, type ProcessView, proc, startTimeOf } from '../../../src/process/proc.js';
import { recoverLaunches } from '../../../src/process/recovery.js';
import { Supervisor } from '../../../src/process/supervisor.js';
import { assert, suite } from '../../support/harness.js';
import { ManualClock } from '../../support/manual-clock.js';
import { QUICK_LIMITS, randomIds, recordingLog } from '../../support/supervisor-rig.js';

const test = suite('recovery of launches');

const WORLD = { bootId: 'boot', pidNamespace: 'pid:[1]' };
const PENDING: RecordedLaunch = {
  addonId: 'tables',
  incarnation: 'a',
  generation: 1,
  executable: '/root/packages/tables/bin',
  dataDir: '/root/data/tables',
  state: 'pending',
  ...WORLD,
};
const STARTED: RecordedLaunch = { ...PENDING, state: 'ready', pid: 70, startTime: '900' };
const OURS: ProcessView = {
  pid: 70,
  argv: ['/x/bin', '--localai-addon-v1'],
  cwd: PENDING.dataDir,
  exe: PENDING.executable,
};

interface Kernel {
  /** pid to start time; `unreadable` makes /proc refuse. */
  readonly processes?: Readonly<Record<number, string | 'unreadable' | 'hidden'>>;
  readonly own?: readonly ProcessView[] | 'unreadable';
  /** Signals that end the process. */
  readonly fatal?: readonly number[];
  readonly openFails?: boolean;
}

/** Plays one recovery and tells what was signalled and recorded. */
async function play(launch: RecordedLaunch, kernel: Kernel, over: Partial<LaunchLedger> = {}) {
  const clock = new ManualClock();
  const sent: [number, number][] = [];
  const handles = new Map<number, number>();
  const dead = new Set<number>();
  const recorded: string[] = [];
  const libc: Libc = {
    openProcess: (pid) => {
      if (kernel.openFails === true) throw new LibcError('pidfd_open', 'EMFILE');
      if (kernel.processes?.[pid] === undefined) return undefined;
      const handle = openSync('/dev/null', 'r');
      handles.set(handle, pid);
      return handle;
    },
    signal: (handle, signal) => {
      const pid = handles.get(handle) as number;
      if (dead.has(pid)) return false;
      sent.push([pid, signal]);
      if ((kernel.fatal ?? [15]).includes(signal)) dead.add(pid);
      return true;
    },
    ended: (asked) => asked.map((handle) => dead.has(handles.get(handle) as number)),
  } as Partial<Libc> as Libc;
  const fakeProc: Proc = {
    world: () => WORLD,
    startTime: (pid) => {
      const time = kernel.processes?.[pid];
      if (time === 'unreadable') throw new Error('EACCES');
      return time === 'hidden' ? undefined : time;
    },
    own: () => {
      if (kernel.own === 'unreadable') throw new Error('EACCES');
      return kernel.own ?? [];
    },
  };
  const ledger = {
    unfinished: () => [launch],
    exited: async (_id: string, _incarnation: string, how: { reason: string }) => {
      recorded.push(`exited: ${how.reason}`);
      return right(undefined);
    },
    uncertain: async (_id: string, _incarnation: string, why: string) => {
      recorded.push(`uncertain: ${why}`);
      return right(undefined);
    },
    ...over,
  } as unknown as LaunchLedger;
  const deadlines = new Deadlines(clock, clock.monotonic);
  const found = recoverLaunches({ ledger, clock, deadlines, libc, proc: fakeProc, shutdownTimeoutMs: 1_000 });
  const playing = Promise.all([...found].map(async ([id, finding]) => [id, await finding] as const)).then(
    (all) => new Map(all),
  );
  await clock.pass(5_000);
  const finding = (await playing).get(launch.addonId);
  return { finding, sent, recorded };
}

test('the recorded process gets SIGTERM, and its confirmed end is recorded [RUNTIME-021]', async () => {
  const { finding, sent, recorded } = await play(STARTED, { processes: { 70: '900' } });
  assert.is(finding?.kind, 'gone');
  assert.equal(sent, [[70, 15]]);
  assert.match(recorded[0] ?? '', /^exited: it was left running/);
});

test('one that ignores SIGTERM gets SIGKILL after the grace time', async () => {
  const { finding, sent } = await play(STARTED, { processes: { 70: '900' }, fatal: [9] });
  assert.is(finding?.kind, 'gone');
  assert.equal(sent, [
    [70, 15],
    [70, 9],
  ]);
});

test('a number that belongs to another process now is never signalled [RUNTIME-022]', async () => {
  const { finding, sent } = await play(STARTED, { processes: { 70: '901' } });
  assert.is(finding?.kind, 'gone');
  assert.equal(sent, []);
});

test('after another boot, or in another pid namespace, nothing is signalled [RUNTIME-022]', async () => {
  for (const other of [{ bootId: 'earlier' }, { pidNamespace: 'pid:[2]' }]) {
    const { finding, sent } = await play({ ...STARTED, ...other }, { processes: { 70: '900' } });
    assert.is(finding?.kind, 'gone');
    assert.equal(sent, []);
  }
});

test('a process that is gone is recorded as ended', async () => {
  const { finding, sent } = await play(STARTED, {});
  assert.is(finding?.kind, 'gone');
  assert.equal(sent, []);
});

test('what the kernel does not tell is uncertain: nothing is signalled, and it is recorded so [RUNTIME-023]', async () => {
  const kernels: Kernel[] = [
    { processes: { 70: 'unreadable' } },
    { processes: { 70: 'hidden' } },
    { processes: { 70: '900' }, openFails: true },
  ];
  for (const kernel of kernels) {
    const { finding, sent, recorded } = await play(STARTED, kernel);
    assert.is(finding?.kind, 'uncertain');
    assert.equal(sent, []);
    assert.match(recorded[0] ?? '', /^uncertain:/);
  }
});

test('a process that survives SIGKILL is uncertain', async () => {
  const { finding } = await play(STARTED, { processes: { 70: '900' }, fatal: [] });
  assert.is(finding?.kind, 'uncertain');
});

test('a pending launch of which nothing is found never started', async () => {
  const { finding, recorded } = await play(PENDING, {
    own: [{ ...OURS, pid: 5, argv: ['sh'], cwd: '/', exe: '/bin/sh' }],
  });
  assert.is(finding?.kind, 'gone');
  assert.equal(recorded, ['exited: it never started']);
});

test('a pending launch that is found by argument and directory is ended [RUNTIME-021]', async () => {
  const { finding, sent } = await play(PENDING, { processes: { 70: '900' }, own: [OURS] });
  assert.is(finding?.kind, 'gone');
  assert.equal(sent, [[70, 15]]);
});

test('a pending launch that two processes could be, or one only half, is uncertain and left alone [RUNTIME-023]', async () => {
  const unsure: Kernel['own'][] = [
    [OURS, { ...OURS, pid: 71 }],
    [{ ...OURS, cwd: '/elsewhere' }],
    [{ pid: 70, argv: OURS.argv }],
    [{ ...OURS, argv: ['renamed'] }],
    'unreadable',
  ];
  for (const own of unsure) {
    const { finding, sent } = await play(PENDING, { processes: { 70: '900', 71: '901' }, ...(own && { own }) });
    assert.is(finding?.kind, 'uncertain', JSON.stringify(own));
    assert.equal(sent, []);
  }
});

test('a script is recognised by argument and directory, whatever interpreter runs it', () => {
  const node = {
    pid: 1,
    argv: ['/proc/9/exe', '/root/packages/tables/main.js', '--localai-addon-v1'],
    exe: '/opt/node',
  };
  assert.is(recognise({ ...node, cwd: PENDING.dataDir }, PENDING), 'ours');
  assert.is(recognise({ ...node, cwd: '/' }, PENDING), 'unclear');
  const other = {
    ...node,
    argv: ['node', '/root/packages/notes/main.js', '--localai-addon-v1'],
    cwd: '/root/data/notes',
  };
  assert.is(recognise(other, PENDING), 'other');
  assert.is(recognise({ pid: 1, argv: ['bash'], cwd: PENDING.dataDir, exe: '/bin/bash' }, PENDING), 'other');
});

test('an end that cannot be recorded is reported as such', async () => {
  const { finding } = await play(STARTED, {}, { exited: async () => left(refuse('fenced', 'Fenced.')) });
  assert.equal(finding, { kind: 'unrecorded', reason: 'Fenced.' });
});

test('the start time is read after the last parenthesis of the name', () => {
  const rest = Array.from({ length: 18 }, (_, index) => String(index + 4)).join(' ');
  assert.is(startTimeOf(`7 (a) b) (c) S ${rest} 12345 0`), '12345');
  assert.is(startTimeOf('7 (a'), undefined);
  assert.match(proc.startTime(process.pid) ?? '', /^\d+$/);
  assert.is(proc.startTime(2 ** 22 + 1), undefined);
});

test('a system without process handles or a readable /proc starts nothing [RUNTIME-024]', async () => {
  const clock = new ManualClock();
  const ledger = { unfinished: () => [] } as Partial<LaunchLedger> as LaunchLedger;
  const broken: { libc?: () => Libc; proc?: Proc }[] = [
    {
      libc: () =>
        ({
          openProcess: () => {
            throw new LibcError('pidfd_open', 'ENOSYS');
          },
        }) as Partial<Libc> as Libc,
    },
    {
      libc: () => {
        throw new Error('no native module');
      },
    },
    {
      proc: {
        ...proc,
        world: () => {
          throw new Error('EACCES');
        },
      },
    },
    { proc: { ...proc, startTime: () => undefined } },
  ];
  for (const parts of broken) {
    const log = recordingLog([]);
    const supervisor = new Supervisor({ ledger, clock, ids: randomIds, log, limits: QUICK_LIMITS, ...parts });
    const recovered = await supervisor.recover();
    assert.match(isLeft(recovered) ? recovered.left.reason : '', /cannot identify processes safely/);
    const spec = { addonId: 'a', version: '1.0.0', generation: 1, packageDir: '/', executable: 'x', dataDir: '/d' };
    const verify = async () => right(undefined);
    assert.ok(isLeft(await supervisor.start({ ...spec, capabilities: {}, verify })));
  }
});

test('an uncertain add-on is failed with what to check; the others are not concerned [RUNTIME-023]', async () => {
  const clock = new ManualClock();
  const ledger = {
    unfinished: () => [{ ...STARTED, ...proc.world() }],
    uncertain: async () => right(undefined),
  } as Partial<LaunchLedger> as LaunchLedger;
  const hidden: Proc = { ...proc, startTime: (pid) => (pid === process.pid ? '1' : undefined) };
  const libc: Libc = { openProcess: () => openSync('/dev/null', 'r'), ended: () => [false] } as Partial<Libc> as Libc;
  const supervisor = new Supervisor({
    ledger,
    clock,
    ids: randomIds,
    log: recordingLog([]),
    limits: QUICK_LIMITS,
    libc: () => libc,
    proc: hidden,
  });
  const recovered = await supervisor.recover();
  assert.match(
    isLeft(recovered) ? recovered.left.reason : '',
    /earlier process of tables may still run.*restart the server/,
  );
  assert.is(supervisor.observe('tables').state, 'failed');
  assert.match(supervisor.observe('tables').reason ?? '', /may still run/);
  assert.ok(isLeft(supervisor.current('tables', 1)));
  assert.ok(isLeft(await supervisor.stop('tables')));
  assert.is(supervisor.observe('other').state, 'stopped');
});

test.run();
