/** Temporary directories of tests: made in the system's place for them, removed when the process ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

process.on('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

export function tempDir(label = 'test'): string {
  const directory = mkdtempSync(join(tmpdir(), `castellan-${label}-`));
  made.push(directory);
  return directory;
}
