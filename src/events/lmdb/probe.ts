/**
 * Asks a child process to read the head and the tail, when the last start did not get past that: damage in a page
 * kills the reader by a signal, and this way it kills the child.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Either, left, right } from '../../contract/fp.js';
import type { Head } from '../journal.js';
import { dataFile, openingFile } from './layout.js';
import { type OpenRefusal, openRefusal } from './open-refusal.js';

const PROBE_MS = 30_000;

export async function probe(directory: string, anchor: Head): Promise<Either<OpenRefusal, Head>> {
  if (!existsSync(openingFile(directory))) return right(anchor);
  const script = fileURLToPath(new URL('./probe-child.js', import.meta.url));
  const child = spawn(process.execPath, [script, directory], {
    stdio: 'ignore',
    timeout: PROBE_MS,
    killSignal: 'SIGKILL',
  });
  const how = await new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  // An error is not a signal: the start meets it again itself and can say what it is.
  if (!how.startsWith('SIG')) return right(anchor);
  return left(
    openRefusal('damaged', dataFile(directory), `Reading the end of the journal ended the reader with ${how}.`, {
      expected: anchor.position,
    }),
  );
}
