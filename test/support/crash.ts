/** Watches or breaks the syncs and renames of this process; used by the crash tests and by the processes they kill. */
import fs, { readlinkSync } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createTarFetcher } from '../../src/packages/artifact-fetcher.js';
import { DEFAULT_PACKAGE_LIMITS } from '../../src/packages/package-limits.js';
import { createPackageStore } from '../../src/packages/store.js';
import { HOST, published, sample, serving, testIds } from './package-store.js';
import { realClock } from './packages.js';
import { file, folder } from './tar.js';

export const BYTES = sample(folder('docs'), file('docs/a', 'x'), file('docs/b', 'y'.repeat(1_100_000)));

export type Step = { readonly what: 'sync' | 'rename'; readonly path: string };

/** Runs `use` with every sync and rename of this process reported to `onStep` before it happens. */
export async function watching<A>(onStep: (step: Step) => void, use: () => Promise<A>): Promise<A> {
  const probe = await open('/dev/null');
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const { sync } = prototype;
  const { renameSync, fsync } = fs;
  prototype.sync = async function (this: FileHandle) {
    onStep({ what: 'sync', path: await readlink(`/proc/self/fd/${this.fd}`) });
    return sync.call(this);
  };
  fs.renameSync = (from, to) => {
    onStep({ what: 'rename', path: String(to) });
    return renameSync(from, to);
  };
  // A large file is synced by the descriptor that it was written with.
  fs.fsync = ((fd: number, done: fs.NoParamCallback) => {
    onStep({ what: 'sync', path: readlinkSync(`/proc/self/fd/${fd}`) });
    return fsync(fd, done);
  }) as typeof fsync;
  syncBuiltinESMExports();
  try {
    return await use();
  } finally {
    prototype.sync = sync;
    fs.renameSync = renameSync;
    fs.fsync = fsync;
    syncBuiltinESMExports();
  }
}

export async function publishUntil(root: string, at: number): Promise<string> {
  const store = createPackageStore({
    root,
    host: HOST,
    ids: testIds,
    artifacts: createTarFetcher({ clock: realClock, fetch: serving(BYTES) }),
    limits: DEFAULT_PACKAGE_LIMITS,
  });
  let seen = 0;
  return watching(
    () => {
      seen += 1;
      if (seen === at) process.kill(process.pid, 'SIGKILL');
    },
    () => published(store, BYTES),
  );
}
