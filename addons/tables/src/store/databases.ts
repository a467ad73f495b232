/** Every database of the data directory, a few of them open at a time. */
import { createDatabase, OpenDatabase } from './database.js';
import { DataFolder } from './files.js';
import { findReceipt, type StoredReceipt } from './receipts.js';
import { Registry } from './registry.js';
import { Connection } from './sqlite.js';

const OPEN_AT_ONCE = 16;

export class Databases {
  private readonly folder: DataFolder;
  readonly registry: Registry;
  /** In the order of use: a map keeps insertion order, and a use puts its entry last. */
  private readonly open = new Map<string, OpenDatabase>();

  constructor(dataDir: string) {
    this.folder = new DataFolder(dataDir);
    this.registry = new Registry(this.folder);
    this.folder.clearDrafts();
    // A deletion is done once it is registered; a crash may have left the file, and it is finished here.
    for (const resourceId of this.registry.deletedIds()) {
      if (this.folder.holds(resourceId)) this.folder.remove(resourceId);
    }
  }

  exists(resourceId: string): boolean {
    return !this.registry.isDeleted(resourceId) && this.folder.holds(resourceId);
  }

  path(resourceId: string): string {
    return this.folder.database(resourceId);
  }

  /** The open database, or undefined when there is none of this id. */
  use(resourceId: string): OpenDatabase | undefined {
    const known = this.open.get(resourceId);
    if (known !== undefined) {
      this.open.delete(resourceId);
      this.open.set(resourceId, known);
      return known;
    }
    if (!this.exists(resourceId)) return undefined;
    const surplus = Math.max(0, this.open.size - OPEN_AT_ONCE + 1);
    for (const oldest of [...this.open.keys()].slice(0, surplus)) this.release(oldest);
    const opened = new OpenDatabase(this.path(resourceId));
    this.open.set(resourceId, opened);
    return opened;
  }

  release(resourceId: string): void {
    this.open.get(resourceId)?.close();
    this.open.delete(resourceId);
  }

  create(resourceId: string, name: string, stored: StoredReceipt, now: Date): void {
    createDatabase(this.folder, resourceId, name, stored, now);
  }

  delete(resourceId: string, stored: StoredReceipt, now: Date): void {
    this.release(resourceId);
    const connection = new Connection(this.path(resourceId));
    try {
      this.registry.delete(resourceId, stored, connection, now);
    } finally {
      connection.close();
    }
    this.folder.remove(resourceId);
  }

  /** The receipt of an operation, in whatever database it stands. */
  receipt(operationId: string): StoredReceipt | undefined {
    const kept = this.registry.receipt(operationId);
    if (kept !== undefined) return kept;
    const resourceId = this.registry.resourceOf(operationId);
    const database = resourceId === undefined ? undefined : this.use(resourceId);
    return database === undefined ? undefined : findReceipt(database.connection, operationId);
  }

  close(): void {
    for (const resourceId of [...this.open.keys()]) this.release(resourceId);
    this.registry.close();
  }
}
