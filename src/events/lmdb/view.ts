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
import { type Databases, dataFile, openDatabases } from './layout.js';

/** @throws as LMDB does. The file must have been looked at before (`preflight.ts`). */
export function openView(directory: string): Databases {
  const place = mkdtempSync(join(tmpdir(), 'castellan-view-'));
  try {
    symlinkSync(realpathSync(dataFile(directory)), dataFile(place));
    return openDatabases(place, true);
  } finally {
    // Both files are open by now, and nothing of the view is left when its process is killed.
    rmSync(place, { recursive: true, force: true });
  }
}
