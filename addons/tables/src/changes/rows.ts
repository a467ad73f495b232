/** Adding rows: typed values and CSV text, into a table that exists. */
import { accept, type Outcome, unfit } from '../outcome.js';
import { asciiFold, type Column, type OpenDatabase, type Table } from '../store/database.js';
import { type Cell, quoted } from '../store/sqlite.js';
import { fromText, toCell } from '../values/cells.js';
import { type Csv, parseCsv } from '../values/csv.js';
import type { Fields } from '../wire/fields.js';
import type { Json } from '../wire/json.js';
import { type Change, LISTED_IDS, type Plan } from './change.js';
import { bounded, shownRow } from './sample.js';

export function findTable(database: OpenDatabase, name: string): Outcome<Table> {
  const table = database.table(name);
  if (table !== undefined) return accept(table);
  return unfit('unknown_table', `There is no table "${name}" in this database.`);
}

/** The named columns of a table, in the order they were named. Refuses unknown and repeated names. */
export function pickColumns(table: Table, names: readonly string[]): Outcome<readonly Column[]> {
  const picked: Column[] = [];
  for (const name of names) {
    const column = table.columns.find((candidate) => asciiFold(candidate.name) === asciiFold(name));
    if (column === undefined) return unfit('unknown_column', `The table "${table.name}" has no column "${name}".`);
    if (picked.includes(column)) return unfit('repeated_column', `The column "${column.name}" is named twice.`);
    picked.push(column);
  }
  return accept(picked);
}

/** Converts rows to cells; a value that does not fit is named with its row, counted from 1. */
export function toRows(
  columns: readonly Column[],
  rows: readonly (readonly Json[])[],
): Outcome<readonly (readonly Cell[])[]> {
  const converted: Cell[][] = [];
  for (const [at, row] of rows.entries()) {
    if (row.length !== columns.length) {
      return unfit('bad_row', `Row ${at + 1} has ${row.length} values for ${columns.length} columns.`);
    }
    const cells: Cell[] = [];
    for (const [index, column] of columns.entries()) {
      const cell = toCell(column, row[index] ?? null);
      if (!cell.ok) return unfit('bad_value', `Row ${at + 1}: ${cell.refusal.message}`);
      cells.push(cell.value);
    }
    converted.push(cells);
  }
  return accept(converted);
}

/** The JSON rows a CSV means in these columns. */
export function csvRows(csv: Csv, columns: readonly Column[]): Outcome<readonly (readonly Json[])[]> {
  const rows: Json[][] = [];
  for (const [at, row] of csv.rows.entries()) {
    const values: Json[] = [];
    for (const [index, column] of columns.entries()) {
      const value = fromText(column, row[index] ?? '');
      if (!value.ok) return unfit('bad_value', `Row ${at + 1}: ${value.refusal.message}`);
      values.push(value.value);
    }
    rows.push(values);
  }
  return accept(rows);
}

export function insertAll(
  database: OpenDatabase,
  table: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): number[] {
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const places = columns.map(() => '?').join(', ');
  const insert = database.connection.prepare(`INSERT INTO ${quoted(table)} (${names}) VALUES (${places})`);
  const ids: number[] = [];
  for (const row of rows) {
    const { rowid } = insert.run(...row);
    if (ids.length < LISTED_IDS) ids.push(rowid);
  }
  return ids;
}

function insertPlan(
  database: OpenDatabase,
  table: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): Plan {
  return {
    count: rows.length,
    sample: () => bounded(rows.slice(0, 20).map((row) => ({ after: shownRow(columns, row) }))),
    run: () => ({ count: rows.length, ids: insertAll(database, table, columns, rows) }),
  };
}

export function insertRows(read: Fields, batchSize: number): Change {
  const name = read.text('table', 256);
  const names = read.list('columns', 1, 100).map((column) => String(column));
  const rows = read.list('rows', 1, batchSize).map((row) => {
    if (Array.isArray(row)) return row as readonly Json[];
    read.fail('every entry of "rows" must be a list of values');
    return [];
  });
  return {
    kind: 'write',
    touchesRows: true,
    plan: (database) => {
      const table = findTable(database, name);
      if (!table.ok) return table;
      const columns = pickColumns(table.value, names);
      if (!columns.ok) return columns;
      const cells = toRows(columns.value, rows);
      return cells.ok ? accept(insertPlan(database, table.value.name, columns.value, cells.value)) : cells;
    },
  };
}

export function importCsv(read: Fields): Change {
  const name = read.text('table', 256);
  const text = read.text('csv', 1_048_576);
  return {
    kind: 'write',
    touchesRows: true,
    plan: (database) => {
      const table = findTable(database, name);
      if (!table.ok) return table;
      const csv = parseCsv(text);
      if (!csv.ok) return csv;
      if (csv.value.rows.length === 0) return unfit('bad_csv', 'The CSV has a header and no rows.');
      const columns = pickColumns(table.value, csv.value.header);
      if (!columns.ok) return columns;
      const values = csvRows(csv.value, columns.value);
      if (!values.ok) return values;
      const cells = toRows(columns.value, values.value);
      return cells.ok ? accept(insertPlan(database, table.value.name, columns.value, cells.value)) : cells;
    },
  };
}
