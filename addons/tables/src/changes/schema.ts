/** Making, altering and dropping tables, and the database's own name. */
import { accept, type Outcome, unfit } from '../outcome.js';
import { asciiFold, type Column, type ColumnType, type OpenDatabase } from '../store/database.js';
import { quoted } from '../store/sqlite.js';
import { inferType } from '../values/cells.js';
import { parseCsv } from '../values/csv.js';
import { columnName, databaseName, tableName } from '../values/names.js';
import { Fields } from '../wire/fields.js';
import type { Json } from '../wire/json.js';
import type { Change } from './change.js';
import { csvRows, findTable, insertAll, pickColumns, toRows } from './rows.js';
import { bounded, shownRow } from './sample.js';

const MAX_TABLES = 64;
const MAX_COLUMNS = 100;
const TYPES = ['text', 'integer', 'real', 'boolean', 'date'] as const;
const ALTERATIONS = ['add-column', 'rename-column', 'drop-column', 'rename-table'] as const;

function newTable(database: OpenDatabase, name: string): Outcome<string> {
  const judged = tableName(name);
  if (!judged.ok) return judged;
  if (database.table(name) !== undefined) return unfit('table_exists', `There already is a table "${name}".`);
  if (database.tableNames().length >= MAX_TABLES) {
    return unfit('too_many_tables', `A database has at most ${MAX_TABLES} tables.`);
  }
  return judged;
}

function checkColumns(columns: readonly Column[]): Outcome<readonly Column[]> {
  if (columns.length > MAX_COLUMNS) return unfit('too_many_columns', `A table has at most ${MAX_COLUMNS} columns.`);
  const seen = new Set<string>();
  for (const { name } of columns) {
    const judged = columnName(name);
    if (!judged.ok) return judged;
    if (seen.has(asciiFold(name))) return unfit('repeated_column', `Two columns are named "${name}".`);
    seen.add(asciiFold(name));
  }
  return accept(columns);
}

function makeTable(database: OpenDatabase, name: string, columns: readonly Column[]): void {
  const declared = columns.map((column) => `${quoted(column.name)} ${column.type.toUpperCase()}`);
  database.connection.exec(
    `CREATE TABLE ${quoted(name)} (rowid INTEGER PRIMARY KEY AUTOINCREMENT, ${declared.join(', ')})`,
  );
}

const shownColumns = (columns: readonly Column[]): Json => columns.map(({ name, type }) => ({ name, type }));

function decodeColumn(value: Json): Outcome<Column> {
  const read = new Fields(value, 'column', ['name', 'type']);
  return read.finish({ name: read.text('name', 256), type: read.oneOf('type', TYPES) });
}

export function createTable(read: Fields): Change {
  const name = read.text('table', 256);
  const columns = read
    .list('columns', 1, MAX_COLUMNS)
    .map((entry) => read.nested(decodeColumn(entry), { name: '', type: 'text' as ColumnType }));
  return {
    kind: 'schema',
    touchesRows: false,
    plan: (database) => {
      const judged = newTable(database, name);
      if (!judged.ok) return judged;
      const checked = checkColumns(columns);
      if (!checked.ok) return checked;
      return accept({
        count: 1,
        sample: () => bounded([{ table: name, columns: shownColumns(columns) }]),
        run: () => {
          makeTable(database, name, columns);
          return { table: name };
        },
      });
    },
  };
}

/** Makes a table of a CSV text: the header names its columns, and the fields decide their types. */
export function createTableFromCsv(read: Fields): Change {
  const name = read.text('table', 256);
  const text = read.text('csv', 1_048_576);
  return {
    kind: 'schema',
    touchesRows: true,
    plan: (database) => {
      const judged = newTable(database, name);
      if (!judged.ok) return judged;
      const csv = parseCsv(text);
      if (!csv.ok) return csv;
      const columns = csv.value.header.map((header, at) => ({
        name: header.trim(),
        type: inferType(csv.value.rows.map((row) => row[at] ?? '')),
      }));
      const checked = checkColumns(columns);
      if (!checked.ok) return checked;
      const values = csvRows(csv.value, columns);
      if (!values.ok) return values;
      const rows = toRows(columns, values.value);
      if (!rows.ok) return rows;
      const made = { table: name, columns: shownColumns(columns) };
      return accept({
        count: Math.max(1, rows.value.length),
        sample: () => bounded([made, ...rows.value.slice(0, 19).map((row) => ({ after: shownRow(columns, row) }))]),
        run: () => {
          makeTable(database, name, columns);
          return { table: name, count: rows.value.length, ids: insertAll(database, name, columns, rows.value) };
        },
      });
    },
  };
}

export function dropTable(read: Fields): Change {
  const name = read.text('table', 256);
  return {
    kind: 'schema',
    touchesRows: true,
    plan: (database) => {
      const table = findTable(database, name);
      if (!table.ok) return table;
      const rows = database.rowCount(table.value.name);
      return accept({
        count: Math.max(1, rows),
        sample: () => bounded([{ table: table.value.name, rows, columns: shownColumns(table.value.columns) }]),
        run: () => {
          database.connection.exec(`DROP TABLE ${quoted(table.value.name)}`);
          return { table: table.value.name, count: rows };
        },
      });
    },
  };
}

interface Alteration {
  readonly sql: string;
  readonly count: number;
  readonly shown: Json;
}

interface AlterationArguments {
  readonly table: string;
  readonly change: (typeof ALTERATIONS)[number];
  readonly column: string;
  readonly to: string;
  readonly type: ColumnType;
}

function alterColumn(database: OpenDatabase, asked: AlterationArguments): Outcome<Alteration> {
  const table = findTable(database, asked.table);
  if (!table.ok) return table;
  const { name, columns } = table.value;
  const alter = `ALTER TABLE ${quoted(name)}`;
  if (asked.change === 'add-column') {
    const added = { name: asked.column, type: asked.type };
    const checked = checkColumns([...columns, added]);
    if (!checked.ok) return checked;
    const sql = `${alter} ADD COLUMN ${quoted(added.name)} ${added.type.toUpperCase()}`;
    return accept({ sql, count: 1, shown: { table: name, added: { ...added } } });
  }
  const picked = pickColumns(table.value, [asked.column]);
  if (!picked.ok) return picked;
  const column = picked.value[0]?.name ?? '';
  if (asked.change === 'drop-column') {
    if (columns.length === 1) return unfit('last_column', `"${column}" is the only column. Drop the table instead.`);
    const lost = Number(database.connection.first(`SELECT count(${quoted(column)}) FROM ${quoted(name)}`)?.[0]);
    const shown = { table: name, dropped: column, 'values lost': lost };
    return accept({ sql: `${alter} DROP COLUMN ${quoted(column)}`, count: Math.max(1, lost), shown });
  }
  const checked = checkColumns(columns.map((one) => (one.name === column ? { ...one, name: asked.to } : one)));
  if (!checked.ok) return checked;
  const sql = `${alter} RENAME COLUMN ${quoted(column)} TO ${quoted(asked.to)}`;
  return accept({ sql, count: 1, shown: { table: name, before: column, after: asked.to } });
}

function renameTable(database: OpenDatabase, asked: AlterationArguments): Outcome<Alteration> {
  const table = findTable(database, asked.table);
  if (!table.ok) return table;
  const judged = tableName(asked.to);
  if (!judged.ok) return judged;
  const taken = database.table(asked.to);
  if (taken !== undefined && (taken.name !== table.value.name || asked.to === taken.name)) {
    return unfit('table_exists', `There already is a table "${taken.name}".`);
  }
  const sql = `ALTER TABLE ${quoted(table.value.name)} RENAME TO ${quoted(asked.to)}`;
  return accept({ sql, count: 1, shown: { before: table.value.name, after: asked.to } });
}

export function alterTable(read: Fields): Change {
  const change = read.oneOf('change', ALTERATIONS);
  const needs = {
    'add-column': ['column', 'type'],
    'rename-column': ['column', 'to'],
    'drop-column': ['column'],
    'rename-table': ['to'],
  }[change];
  for (const key of ['column', 'to', 'type']) {
    if (read.has(key) !== needs.includes(key)) {
      read.fail(`"${change}" ${needs.includes(key) ? `needs "${key}"` : `takes no "${key}"`}`);
    }
  }
  const asked: AlterationArguments = {
    table: read.text('table', 256),
    change,
    column: read.has('column') ? read.text('column', 256) : '',
    to: read.has('to') ? read.text('to', 256) : '',
    type: read.has('type') ? read.oneOf('type', TYPES) : 'text',
  };
  return {
    kind: 'schema',
    touchesRows: change === 'drop-column',
    plan: (database) => {
      const planned = change === 'rename-table' ? renameTable(database, asked) : alterColumn(database, asked);
      if (!planned.ok) return planned;
      const { sql, count, shown } = planned.value;
      const run = () => {
        database.connection.exec(sql);
        return { table: asked.table, change };
      };
      return accept({ count, sample: () => bounded([shown]), run });
    },
  };
}

export function renameDatabase(read: Fields): Change {
  const name = read.text('name', 256);
  return {
    kind: 'schema',
    touchesRows: false,
    plan: (database) => {
      const judged = databaseName(name);
      if (!judged.ok) return judged;
      const run = () => {
        database.rename(name);
        return { name };
      };
      return accept({ count: 1, sample: () => bounded([{ before: database.name, after: name }]), run });
    },
  };
}
