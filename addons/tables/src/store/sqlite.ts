/**
 * The little of SQLite that this add-on uses, with types the driver does not give: it aborts the whole process on a
 * bound boolean, binds every number as a real, and cuts texts at a NUL, so only checked cells ever reach it.
 */
import Database from 'libsql';

/** A value in a table. Whole numbers are bound as integers; booleans are 0 and 1. */
export type Cell = string | number | null;
/** What a read may find beyond a cell: integers past 2^53 and bytes, which only free queries produce. */
export type Found = Cell | bigint | Uint8Array;

const bindable = (cell: Cell): string | number | bigint | null => {
  if (cell === null || typeof cell === 'string') return cell;
  if (typeof cell !== 'number') throw new TypeError('only checked cells may be bound');
  // A whole number past 2^53 is only ever a real, and one past 2^63 fits no integer of the driver.
  return Number.isSafeInteger(cell) ? BigInt(cell) : cell;
};

interface DriverStatement {
  readonly reader: boolean;
  raw(on: boolean): DriverStatement;
  safeIntegers(on: boolean): DriverStatement;
  run(values: unknown[]): { changes: number; lastInsertRowid: number | bigint };
  iterate(values: unknown[]): IterableIterator<unknown>;
  columns(): { name: string; type: string | null }[];
}

export class Statement {
  constructor(private readonly inner: DriverStatement) {}

  /** Answers the row key of the last insert and the number of rows changed. */
  run(...cells: Cell[]): { readonly rowid: number; readonly changes: number } {
    const done = this.inner.run(cells.map(bindable));
    return { rowid: Number(done.lastInsertRowid), changes: done.changes };
  }

  *each(...cells: Cell[]): Generator<readonly Found[]> {
    const rows = this.inner.safeIntegers(true).raw(true).iterate(cells.map(bindable));
    for (const row of rows) yield (row as Found[]).map(narrow);
  }

  all(...cells: Cell[]): (readonly Found[])[] {
    return [...this.each(...cells)];
  }

  /** The rows' names and, for those that are a table's column as it is, its declared type. */
  columns(): readonly { readonly name: string; readonly type: string | null }[] {
    return this.inner.columns();
  }
}

const narrow = (value: Found): Found => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return value;
};

export class Connection {
  private readonly inner: Database.Database;

  /** `file:` addresses carry options such as `mode=ro`; a plain path is opened for reading and writing. */
  constructor(path: string) {
    this.inner = new Database(path);
  }

  exec(sql: string): void {
    this.inner.exec(sql);
  }

  prepare(sql: string): Statement {
    return new Statement(this.inner.prepare(sql) as unknown as DriverStatement);
  }

  run(sql: string, ...cells: Cell[]): { readonly rowid: number; readonly changes: number } {
    return this.prepare(sql).run(...cells);
  }

  all(sql: string, ...cells: Cell[]): (readonly Found[])[] {
    return this.prepare(sql).all(...cells);
  }

  first(sql: string, ...cells: Cell[]): readonly Found[] | undefined {
    return this.all(sql, ...cells)[0];
  }

  /** Sets a pragma. Some answer a row when they are set and some do not, and the driver wants to be told. */
  set(pragma: string): void {
    const statement = this.inner.prepare(`PRAGMA ${pragma}`) as unknown as DriverStatement;
    if (statement.reader) new Statement(statement).all();
    else statement.run([]);
  }

  get inTransaction(): boolean {
    return this.inner.inTransaction;
  }

  /** Folds the write-ahead log into the file, which then is whole without it. Does nothing while a reader is in the way. */
  checkpoint(): void {
    this.set('wal_checkpoint(TRUNCATE)');
  }

  /** The driver lets go of the file only when its statements are collected, so nothing may depend on when that is. */
  close(): void {
    this.inner.close();
  }
}

/** Every name in a statement goes through here, so none can end its own quotes. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The SQLite code of a fault, such as `SQLITE_FULL`; undefined for anything else. */
export function sqliteCode(fault: unknown): string | undefined {
  const code = (fault as { code?: unknown } | null)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}
