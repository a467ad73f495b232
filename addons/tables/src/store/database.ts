/** One database: a SQLite file that holds a person's tables, its own name and revision, and the receipts of its changes. */
import { renameSync, rmSync } from 'node:fs';
import type { Revision } from '../wire/shapes.js';
import { type DataFolder, syncPath } from './files.js';
import { CREATE_RECEIPTS, RECEIPTS_TABLE, type StoredReceipt, writeReceipt } from './receipts.js';
import { Connection, quoted, sqliteCode } from './sqlite.js';

/** 256 MiB: a page is 4 KiB. A write past it is refused, so that one database cannot fill the disk. */
const MAX_PAGES = 65_536;
const META_TABLE = '__tables_meta';
const TYPES = ['TEXT', 'INTEGER', 'REAL', 'BOOLEAN', 'DATE'] as const;

/** Names that no table of a person may have; they are invisible to every tool. */
export const isInternal = (table: string): boolean => /^(sqlite_|__tables_)/i.test(table);
export const INTERNAL_TABLES = [META_TABLE, RECEIPTS_TABLE];

export type ColumnType = 'text' | 'integer' | 'real' | 'boolean' | 'date';
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

export const typeNamed = (declared: string | null): ColumnType | undefined =>
  (TYPES as readonly (string | null)[]).includes(declared) ? (declared?.toLowerCase() as ColumnType) : undefined;

export class OpenDatabase {
  readonly connection: Connection;

  constructor(path: string) {
    this.connection = new Connection(path);
    try {
      for (const setting of [
        'journal_mode = WAL',
        `max_page_count = ${MAX_PAGES}`,
        'secure_delete = ON',
        'synchronous = FULL',
      ]) {
        this.connection.set(setting);
      }
    } catch (fault) {
      // On a full disk each call comes here again, and none may keep a file open.
      this.connection.close();
      throw fault;
    }
  }

  get name(): string {
    return String(this.connection.first(`SELECT name FROM ${META_TABLE}`)?.[0]);
  }

  get revision(): Revision {
    const row = this.connection.first(`SELECT schema_revision, data_revision FROM ${META_TABLE}`);
    return { schema: Number(row?.[0]), data: Number(row?.[1]) };
  }

  set revision(revision: Revision) {
    this.connection.run(
      `UPDATE ${META_TABLE} SET schema_revision = ?, data_revision = ?`,
      revision.schema,
      revision.data,
    );
  }

  rename(name: string): void {
    this.connection.run(`UPDATE ${META_TABLE} SET name = ?`, name);
  }

  tableNames(): string[] {
    return this.connection
      .all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .map((row) => String(row[0]))
      .filter((name) => !isInternal(name));
  }

  /** A table by its name in any case, as SQLite compares names. */
  table(name: string): Table | undefined {
    const folded = asciiFold(name);
    const stored = this.tableNames().find((candidate) => asciiFold(candidate) === folded);
    if (stored === undefined) return undefined;
    const columns = this.connection.all('SELECT name, type FROM pragma_table_info(?)', stored).flatMap((row) => {
      const type = typeNamed(String(row[1]));
      return row[0] === 'rowid' || type === undefined ? [] : [{ name: String(row[0]), type }];
    });
    return { name: stored, columns };
  }

  rowCount(table: string): number {
    return Number(this.connection.first(`SELECT count(*) FROM ${quoted(table)}`)?.[0]);
  }

  /** The log is folded into the file where that can be done; on a full disk it stays beside it, and nothing is lost. */
  close(): void {
    try {
      this.connection.checkpoint();
    } catch (fault) {
      if (sqliteCode(fault) === undefined) throw fault;
    } finally {
      this.connection.close();
    }
  }
}

/** SQLite folds ASCII letters only when it compares names. */
export const asciiFold = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * Creates a database with the receipt of its creation inside. It is built under another name and appears by one rename,
 * so the database and the receipt are both there or neither is.
 */
export function createDatabase(folder: DataFolder, resourceId: string, name: string, stored: StoredReceipt, now: Date) {
  const draft = folder.draft(resourceId);
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${draft}${end}`, { force: true });
  const connection = new Connection(draft);
  try {
    connection.exec(`PRAGMA synchronous = FULL; BEGIN; ${CREATE_RECEIPTS};
      CREATE TABLE ${META_TABLE} (name TEXT NOT NULL, schema_revision INTEGER NOT NULL, data_revision INTEGER NOT NULL)`);
    const { schema, data } = stored.receipt.revision;
    connection.run(`INSERT INTO ${META_TABLE} VALUES (?, ?, ?)`, name, schema, data);
    writeReceipt(connection, stored, now);
    connection.exec('COMMIT');
    // Last, so that the write-ahead log beside the draft is empty and the file alone is everything.
    connection.set('journal_mode = WAL');
  } finally {
    connection.close();
  }
  syncPath(draft);
  renameSync(draft, folder.database(resourceId));
  folder.sync();
}
