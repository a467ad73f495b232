/** strace that kills a server at the n-th call of a kind in its main thread, or in the one thread of its pool. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { python } from './fixture-addon.js';
import { assert } from './harness.js';

const STRACE = '/usr/bin/strace';
export const ARGS = ['--addons-official-library', 'false', '--log-level', 'info'];
const ATTACH_MS = 10_000;
const LET_GO_MS = 1_000;

/** A spawn is a `clone`; threads are made with `clone3`. */
const CALLS = {
  fdatasync: 'fdatasync',
  fsync: 'fsync',
  rename: '?rename,?renameat,renameat2',
  spawn: 'clone,?fork,?vfork',
  chmod: '?chmod,fchmod,fchmodat',
  mkdir: '?mkdir,mkdirat',
  write: 'write,writev,pwrite64',
} as const;

/** strace counts in each thread on its own, so a moment is the n-th call of a kind in one thread. */
export interface Trace {
  readonly kind: keyof typeof CALLS;
  /** `any` also traces the threads that are made later, and the first of all that gets to its n-th call ends the process. */
  readonly thread: 'main' | 'pool' | 'any';
}

const injecting = ({ kind }: Trace, n: number): readonly string[] => [
  ...['-e', `trace=${CALLS[kind]}`, '-e', `inject=${CALLS[kind]}:signal=SIGKILL:when=${n}`],
];

/** Where a process may trace only its descendants, the server allows every process of its user to trace it. */
const ALLOW =
  'import ctypes,os,sys;ctypes.CDLL(None).prctl(0x59616d61,ctypes.c_ulong(-1));os.execv(sys.argv[1],sys.argv[1:])';
const SCOPE = '/proc/sys/kernel/yama/ptrace_scope';

/** What stands before the command line of a server that is to be traced later. */
export function traceable(): readonly string[] {
  const free = !existsSync(SCOPE) || readFileSync(SCOPE, 'utf8').trim() === '0';
  return ['/usr/bin/env', 'UV_THREADPOOL_SIZE=1', ...(free ? [] : [python(), '-c', ALLOW])];
}

/**
 * What stands before the command line of a server that is killed in its start. For a call of the pool every thread is
 * traced, and the main thread must make none of the kind; a child is let go at its exec. -I lets the tracer be ended.
 */
export function killInStart(trace: Trace, n: number): readonly string[] {
  assert.ok(existsSync(STRACE), 'strace is installed');
  const threads = trace.thread === 'main' ? [] : ['-f', '-b', 'execve'];
  return [...traceable(), STRACE, '-D', '-I', '1', '-o', '/dev/null', ...threads, ...injecting(trace, n)];
}

/** 0 when nobody traces the thread; undefined when it is gone. */
const tracerOf = (pid: number, thread = pid): number | undefined => {
  try {
    return Number(/^TracerPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
};

/** Takes the tracer of `killInStart` away. */
export async function release(pid: number): Promise<void> {
  const tracer = tracerOf(pid);
  if (tracer) process.kill(tracer, 'SIGTERM');
  while (tracerOf(pid)) await sleep(2);
}

/** Kills a running server at its n-th call from now on. Resolves when it is traced, with what takes the tracer away. */
export async function killAt(pid: number, trace: Trace, n: number): Promise<() => Promise<void>> {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  const any = trace.thread === 'any';
  const traced = threads.filter((thread) => any || (thread === pid) === (trace.thread === 'main'));
  const which = any ? ['-f', '-p', String(pid)] : traced.flatMap((thread) => ['-p', String(thread)]);
  const strace = spawn(STRACE, ['-q', '-o', '/dev/null', ...which, ...injecting(trace, n)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  strace.stderr.on('data', (chunk: Buffer) => {
    told += chunk;
  });
  const ended = once(strace, 'exit');
  const attached = (thread: number) => [undefined, strace.pid].includes(tracerOf(pid, thread));
  for (let tries = 0; !traced.every(attached); tries += 1) {
    assert.ok(strace.exitCode === null && tries < ATTACH_MS / 2, `strace did not attach: ${told}`);
    await sleep(2);
  }
  return async () => {
    strace.kill('SIGTERM');
    // It may wait for ever for the first thread of a process that was killed with all the others.
    const timer = setTimeout(() => strace.kill('SIGKILL'), LET_GO_MS);
    await ended;
    clearTimeout(timer);
  };
}

/** Waits until a server that has just got ready has a child, or is gone: the check of its journal runs in one. */
export async function hasChild(pid: number): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    try {
      if (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') !== '') return;
    } catch {
      return;
    }
    await sleep(4);
  }
}
