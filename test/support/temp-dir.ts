/** Temporary directories of tests: made in the system's place for them, removed when the process ends. */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

process.on('exit', () => {
  for (const directory of made) removeTree(directory);
});

/** A place in memory where there is room, for tests in which a sync proves nothing and would only cost time. */
export function memoryPlace(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    accessSync('/dev/shm', constants.W_OK);
    return bavail * bsize > 1 << 30 ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}

export function tempDir(label = 'test', place = tmpdir()): string {
  const directory = mkdtempSync(join(place, `castellan-${label}-`));
  made.push(directory);
  return directory;
}

/** Removes a folder, published packages in it included: those are read-only, which stops a user that is not root. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    if (!existsSync(path)) return;
    loosen(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function loosen(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) loosen(join(path, name));
}
