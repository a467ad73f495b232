/** A server that strace kills at its n-th call of a kind; the add-on and every other child of it is let go at its exec. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { assert } from './harness.js';
import { Gone, type MainJob } from './main-job.js';
import { type RunningServer, startServer } from './server.js';

const STRACE = '/usr/bin/strace';
export const ARGS = ['--addons-official-library', 'false', '--log-level', 'info'];

/**
 * The calls of each kind. Counting is per thread, hence one thread in the pool. A spawn is a `clone`; threads are made
 * with `clone3`, and where they are not, a few more moments are tried than there are spawns.
 */
export const KINDS_OF_CALL = {
  fdatasync: 'fdatasync',
  fsync: 'fsync',
  rename: '?rename,?renameat,renameat2',
  spawn: 'clone,?fork,?vfork',
} as const;
export type KindOfCall = keyof typeof KINDS_OF_CALL;

/** Commits and spawns are made by the main thread, and tracing that one alone is several times as fast. */
const ON_MAIN_THREAD: ReadonlySet<KindOfCall> = new Set(['fdatasync', 'spawn']);
const ALL_THREADS = ['-f', '-b', 'execve'];

export function killAt(kind: KindOfCall, n: number): readonly string[] {
  assert.ok(existsSync(STRACE), 'strace is installed');
  const calls = KINDS_OF_CALL[kind];
  const inject = `inject=${calls}:signal=SIGKILL:when=${n}`;
  const quiet = ['-o', '/dev/null', '-E', 'UV_THREADPOOL_SIZE=1', '-D'];
  return [STRACE, ...quiet, ...(ON_MAIN_THREAD.has(kind) ? [] : ALL_THREADS), '-e', `trace=${calls}`, '-e', inject];
}

/** Runs the job from start to SIGTERM on a server under `wrap`; true when the server was killed on the way. */
export async function wasKilled(job: MainJob, wrap: readonly string[]): Promise<boolean> {
  let server: RunningServer;
  try {
    server = await startServer(job.dataPath, ARGS, wrap);
  } catch (error) {
    if (/ended with SIGKILL/.test(String(error))) return true;
    throw error;
  }
  try {
    await job.run(server.address);
    return (await server.stop('SIGTERM')) === 'SIGKILL';
  } catch (error) {
    if (!(error instanceof Gone)) throw new Error(`${error}\n${server.output()}`, { cause: error });
    if (server.child.exitCode === null && server.child.signalCode === null) await once(server.child, 'exit');
    assert.is(server.child.signalCode, 'SIGKILL', server.output());
    return true;
  } finally {
    server.child.kill('SIGKILL');
  }
}
