/** Runs the `castellan` command line as a person would, and says what it printed; an empty path gives no data path. */
import { execFile } from 'node:child_process';
import { MAIN } from './server.js';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export function castellan(path: string, ...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const at = path === '' ? [...args] : [...args, '--data-path', path];
    execFile(process.execPath, [MAIN, ...at], { timeout: 60_000, maxBuffer: 64 * 1_048_576 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, out, err });
    });
  });
}
