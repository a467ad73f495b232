/** Where databases stand in the data directory, and the syncs that make a rename or a removal last. */
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SUFFIX = '.sqlite';

/** Paths below one data directory. Resource ids begin with a letter and hold no dot, so none can leave it or clash. */
export class DataFolder {
  constructor(readonly root: string) {
    mkdirSync(this.building, { recursive: true, mode: 0o700 });
  }

  get registry(): string {
    return join(this.root, `_registry${SUFFIX}`);
  }

  /** Databases are built here and moved out complete; what a crash leaves behind is worth nothing. */
  private get building(): string {
    return join(this.root, 'tmp');
  }

  database(resourceId: string): string {
    return join(this.root, `${resourceId}${SUFFIX}`);
  }

  draft(resourceId: string): string {
    return join(this.building, `${resourceId}${SUFFIX}`);
  }

  /** Whether the database's file is there. Anything but "there" or "not there" is a fault, never an answer. */
  holds(resourceId: string): boolean {
    const found = lstatSync(this.database(resourceId), { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw new Error('a database file is not a regular file');
    return found !== undefined;
  }

  resourceIds(): string[] {
    return readdirSync(this.root)
      .filter((name) => name.endsWith(SUFFIX) && !name.startsWith('_'))
      .map((name) => name.slice(0, -SUFFIX.length));
  }

  clearDrafts(): void {
    rmSync(this.building, { recursive: true, force: true });
    mkdirSync(this.building, { mode: 0o700 });
  }

  /** Removes a database's file, and first what SQLite keeps beside it: while the file is there, a start removes again. */
  remove(resourceId: string): void {
    for (const end of ['-wal', '-shm', '']) rmSync(`${this.database(resourceId)}${end}`, { force: true });
    this.sync();
  }

  sync(): void {
    syncPath(this.root);
  }
}

export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
