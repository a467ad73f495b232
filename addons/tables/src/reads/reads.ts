/** The reads that answer from one database without free SQL: its shape, its existence, and pages of rows. */
import { findTable, pickColumns } from '../changes/rows.js';
import { accept, type Outcome, unfit } from '../outcome.js';
import { asciiFold, type Column, type OpenDatabase, type Table } from '../store/database.js';
import { type Cell, quoted } from '../store/sqlite.js';
import { toJson } from '../values/cells.js';
import { Fields } from '../wire/fields.js';
import type { Json, JsonObject } from '../wire/json.js';
import type { Limits } from '../wire/shapes.js';
import { decodeFilter, type Filter, type Predicate, predicate } from './filter.js';

/** Room for the name, the revision and what stands around them. */
const HEAD_BYTES = 4_096;

/** As many tables as the bytes of an answer allow, and `next`, the offset of the first one that is left, if one is. */
export function inspect(database: OpenDatabase, args: JsonObject, limits: Limits): Outcome<JsonObject> {
  const read = new Fields(args, 'inspect', ['tool', 'offset']);
  const offset = read.finish(read.has('offset') ? read.integer('offset', 0, 10_000) : 0);
  if (!offset.ok) return offset;
  const names = database.tableNames();
  const tables: Json[] = [];
  let bytes = HEAD_BYTES;
  for (const name of names.slice(offset.value)) {
    const columns = (database.table(name)?.columns ?? []).map((column) => ({ name: column.name, type: column.type }));
    const table = { name, rows: database.rowCount(name), columns };
    bytes += Buffer.byteLength(JSON.stringify(table)) + 1;
    // One table always fits: it has at most 100 columns.
    if (bytes > limits.queryResultBytes && tables.length > 0) break;
    tables.push(table);
  }
  const next = offset.value + tables.length;
  const more = next < names.length && tables.length > 0 ? { next } : {};
  return accept({ name: database.name, revision: { ...database.revision }, tables, ...more });
}

interface Listing {
  readonly table: string;
  readonly columns: readonly string[] | undefined;
  readonly filter: Filter;
  readonly orderBy: string | undefined;
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
}

function decodeListing(args: JsonObject, limits: Limits): Outcome<Listing> {
  const read = new Fields(args, 'list-rows', [
    'tool',
    'table',
    'columns',
    'ids',
    'where',
    'orderBy',
    'descending',
    'limit',
    'offset',
  ]);
  return read.finish({
    table: read.text('table', 256),
    columns: read.has('columns') ? read.list('columns', 1, 100).map(String) : undefined,
    filter: decodeFilter(read),
    orderBy: read.has('orderBy') ? read.text('orderBy', 256) : undefined,
    descending: read.flag('descending'),
    limit: read.has('limit') ? read.integer('limit', 1, limits.queryRows) : 100,
    offset: read.has('offset') ? read.integer('offset', 0, 10_000_000) : 0,
  });
}

function ordering(table: Table, asked: Listing): Outcome<string> {
  const direction = asked.descending ? 'DESC' : 'ASC';
  if (asked.orderBy === undefined || asciiFold(asked.orderBy) === 'rowid') return accept(`rowid ${direction}`);
  const picked = pickColumns(table, [asked.orderBy]);
  if (!picked.ok) return picked;
  return accept(`${quoted(picked.value[0]?.name ?? '')} ${direction}, rowid`);
}

/** Rows one at a time until the bytes are used up: a page of very long texts must not fill the memory. */
function page(
  database: OpenDatabase,
  table: Table,
  columns: readonly Column[],
  keys: readonly number[],
  limits: Limits,
): Json[] {
  const names = columns.map((column) => `, ${quoted(column.name)}`).join('');
  const one = database.connection.prepare(`SELECT rowid${names} FROM ${quoted(table.name)} WHERE rowid = ?`);
  const rows: Json[] = [];
  let bytes = HEAD_BYTES;
  for (const key of keys) {
    const cells = one.all(key)[0] ?? [];
    const row = cells.map((cell, at) => toJson(at === 0 ? undefined : columns[at - 1]?.type, cell));
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (bytes > limits.queryResultBytes) break;
    rows.push(row);
  }
  return rows;
}

/** A page of rows with the number of all rows that match. `next` is the offset of the next page, if there is one. */
export function listRows(database: OpenDatabase, args: JsonObject, limits: Limits): Outcome<JsonObject> {
  const asked = decodeListing(args, limits);
  if (!asked.ok) return asked;
  const table = findTable(database, asked.value.table);
  if (!table.ok) return table;
  const columns =
    asked.value.columns === undefined ? accept(table.value.columns) : pickColumns(table.value, asked.value.columns);
  if (!columns.ok) return columns;
  const where = predicate(table.value, asked.value.filter);
  if (!where.ok) return where;
  const order = ordering(table.value, asked.value);
  if (!order.ok) return order;
  return accept(answer(database, table.value, columns.value, where.value, order.value, asked.value, limits));
}

function answer(
  database: OpenDatabase,
  table: Table,
  columns: readonly Column[],
  where: Predicate,
  order: string,
  { limit, offset }: Listing,
  limits: Limits,
): JsonObject {
  const parameters: readonly Cell[] = where.parameters;
  const from = `FROM ${quoted(table.name)} WHERE ${where.sql}`;
  const total = Number(database.connection.first(`SELECT count(*) ${from}`, ...parameters)?.[0]);
  const keys = database.connection
    .all(`SELECT rowid ${from} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`, ...parameters)
    .map((row) => Number(row[0]));
  const rows = page(database, table, columns, keys, limits);
  const names = ['rowid', ...columns.map((column) => column.name)];
  const next = offset + rows.length;
  return { table: table.name, columns: names, rows, total, ...(next < total && rows.length > 0 ? { next } : {}) };
}

export const missing = (): Outcome<never> => unfit('not_found', 'There is no such database.');
