/**
 * Opens a journal for reading, beside an owner or without one. An opener that shares the owner's lock file writes the
 * number of the last transaction it saw into it; when the owner commits meanwhile, its next commit stands on an older
 * state and drops what was acknowledged. So a view has a lock file of its own, and the owner never sees the view:
 * whoever reads beside an owner has it hold its pages (`Journal.hold`), and whoever reads without one looks whether
 * another transaction came meanwhile (`newestTransaction`).
 */
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Either, left, right } from '../../contract/fp.js';
import { type Databases, dataFile, openDatabases } from './layout.js';
import { type OpenRefusal, openRefusal } from './open-refusal.js';

/**
 * The file must have been looked at before (`preflight.ts`). Refuses with `no-view` what says nothing about the journal,
 * such as a temporary folder that is full. @throws what LMDB says of the file.
 */
export function openView(directory: string): Either<OpenRefusal, Databases> {
  const file = dataFile(directory);
  let place: string | undefined;
  try {
    place = mkdtempSync(join(tmpdir(), 'castellan-view-'));
    symlinkSync(realpathSync(file), dataFile(place));
    return right(openDatabases(place, true));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const what = `It could not be opened for reading by way of the temporary folder ${tmpdir()}: ${error.message}.`;
    return left(openRefusal('no-view', file, what));
  } finally {
    // Both files are open by now, and nothing of the view is left behind when its process is killed later.
    if (place !== undefined) rmSync(place, { recursive: true, force: true });
  }
}

/** What the system says, by Node or by LMDB; what LMDB says of the file itself has a number below zero. */
export function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' || (typeof error.code === 'number' && error.code > 0);
}
