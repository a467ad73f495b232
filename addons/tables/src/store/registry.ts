/**
 * The small database beside the databases: which database an operation went to, which databases were deleted, and the
 * receipts that outlive their file. A database itself needs no entry here: its file is the proof that it exists. The
 * registry begins with the first operation, so that an add-on nobody used yet leaves its data directory empty.
 */
import { existsSync } from 'node:fs';
import type { DataFolder } from './files.js';
import { CREATE_RECEIPTS, copyReceipts, findReceipt, type StoredReceipt, writeReceipt } from './receipts.js';
import { Connection, sqliteCode } from './sqlite.js';

const KEEP_MS = 60 * 24 * 3_600_000;

export class Registry {
  private opened: Connection | undefined;

  constructor(private readonly folder: DataFolder) {}

  /** The registry for writing. */
  private get connection(): Connection {
    if (this.opened !== undefined) return this.opened;
    const connection = new Connection(this.folder.registry);
    try {
      connection.set('journal_mode = WAL');
      connection.exec(`PRAGMA synchronous = FULL; ${CREATE_RECEIPTS};
        CREATE TABLE IF NOT EXISTS operations (operation TEXT PRIMARY KEY, resource TEXT NOT NULL, at INTEGER NOT NULL)
          WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS deleted (resource TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID`);
      this.folder.sync();
    } catch (fault) {
      connection.close();
      throw fault;
    }
    this.opened = connection;
    return connection;
  }

  /** The registry for reading, or undefined while there is none. */
  private get existing(): Connection | undefined {
    return this.opened ?? (existsSync(this.folder.registry) ? this.connection : undefined);
  }

  /**
   * Notes, durably and before the change runs, where an operation's receipt will stand. A note without a receipt
   * means the change was refused or never ran.
   */
  note(operationId: string, resourceId: string, now: Date): void {
    this.transaction(() => {
      this.connection.run('DELETE FROM operations WHERE at < ?', now.getTime() - KEEP_MS);
      this.connection.run('INSERT OR REPLACE INTO operations VALUES (?, ?, ?)', operationId, resourceId, now.getTime());
    });
  }

  /** Takes a note back. One that stays, because the disk is full, means no more than that nothing was applied. */
  forget(operationId: string): void {
    try {
      this.connection.run('DELETE FROM operations WHERE operation = ?', operationId);
    } catch (fault) {
      if (sqliteCode(fault) === undefined) throw fault;
    }
  }

  resourceOf(operationId: string): string | undefined {
    const row = this.existing?.first('SELECT resource FROM operations WHERE operation = ?', operationId);
    return row === undefined ? undefined : String(row[0]);
  }

  receipt(operationId: string): StoredReceipt | undefined {
    return this.existing === undefined ? undefined : findReceipt(this.existing, operationId);
  }

  isDeleted(resourceId: string): boolean {
    return this.existing?.first('SELECT 1 FROM deleted WHERE resource = ?', resourceId) !== undefined;
  }

  deletedIds(): string[] {
    return (this.existing?.all('SELECT resource FROM deleted') ?? []).map((row) => String(row[0]));
  }

  /** The deletion is done when this is: the receipt, the mark and the receipts of the database are one transaction. */
  delete(resourceId: string, stored: StoredReceipt, database: Connection, now: Date): void {
    this.transaction(() => {
      copyReceipts(database, this.connection);
      this.connection.run('INSERT INTO deleted VALUES (?, ?)', resourceId, now.getTime());
      writeReceipt(this.connection, stored, now);
    });
  }

  private transaction(body: () => void): void {
    this.connection.exec('BEGIN IMMEDIATE');
    try {
      body();
      this.connection.exec('COMMIT');
    } catch (fault) {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
      throw fault;
    }
  }

  close(): void {
    this.opened?.checkpoint();
    this.opened?.close();
  }
}
