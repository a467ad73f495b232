/** Changing and removing rows that are there. */
import { accept, type Outcome, unfit } from '../outcome.js';
import { decodeFilter, type Filter, type Predicate, predicate, requireFilter } from '../reads/filter.js';
import type { Column, OpenDatabase, Table } from '../store/database.js';
import { type Cell, quoted } from '../store/sqlite.js';
import { toCell } from '../values/cells.js';
import { Fields } from '../wire/fields.js';
import type { Json } from '../wire/json.js';
import { type Change, LISTED_IDS, type Plan, SAMPLE_ENTRIES } from './change.js';
import { findTable, pickColumns } from './rows.js';
import { bounded, shownRow } from './sample.js';

interface Target {
  readonly database: OpenDatabase;
  readonly table: Table;
  readonly where: Predicate;
  readonly count: number;
  readonly ids: readonly number[];
}

function findTarget(database: OpenDatabase, name: string, filter: Filter): Outcome<Target> {
  const table = findTable(database, name);
  if (!table.ok) return table;
  const where = predicate(table.value, filter);
  if (!where.ok) return where;
  const { sql, parameters } = where.value;
  const from = `FROM ${quoted(table.value.name)} WHERE ${sql}`;
  const count = Number(database.connection.first(`SELECT count(*) ${from}`, ...parameters)?.[0]);
  const keys = database.connection.all(`SELECT rowid ${from} ORDER BY rowid LIMIT ${LISTED_IDS}`, ...parameters);
  if (count === 0) return unfit('no_rows', `No row of "${table.value.name}" is meant by this call.`);
  return accept({ database, table: table.value, where: where.value, count, ids: keys.map((row) => Number(row[0])) });
}

/** The rows as they are, one read at a time: a table's rows may be large and only a few are shown. */
function* before(target: Target, columns: readonly Column[]): Generator<{ rowid: number; cells: readonly unknown[] }> {
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const one = target.database.connection.prepare(`SELECT ${names} FROM ${quoted(target.table.name)} WHERE rowid = ?`);
  for (const rowid of target.ids.slice(0, SAMPLE_ENTRIES)) yield { rowid, cells: one.all(rowid)[0] ?? [] };
}

function updatePlan(target: Target, columns: readonly Column[], cells: readonly Cell[]): Plan {
  const { database, table, where, count, ids } = target;
  const after = shownRow(columns, cells);
  return {
    count,
    sample: () =>
      bounded(
        (function* (): Generator<Json> {
          for (const row of before(target, columns)) {
            yield { rowid: row.rowid, before: shownRow(columns, row.cells as Cell[]), after };
          }
        })(),
      ),
    run: () => {
      const set = columns.map((column) => `${quoted(column.name)} = ?`).join(', ');
      const sql = `UPDATE ${quoted(table.name)} SET ${set} WHERE ${where.sql}`;
      return { count: database.connection.run(sql, ...cells, ...where.parameters).changes, ids };
    },
  };
}

function deletePlan(target: Target): Plan {
  const { database, table, where, count, ids } = target;
  return {
    count,
    sample: () =>
      bounded(
        (function* (): Generator<Json> {
          for (const row of before(target, table.columns)) {
            yield { rowid: row.rowid, before: shownRow(table.columns, row.cells as Cell[]) };
          }
        })(),
      ),
    run: () => {
      const sql = `DELETE FROM ${quoted(table.name)} WHERE ${where.sql}`;
      return { count: database.connection.run(sql, ...where.parameters).changes, ids };
    },
  };
}

interface Assignment {
  readonly column: string;
  readonly value: Json;
}

function decodeAssignment(entry: Json): Outcome<Assignment> {
  const read = new Fields(entry, 'assignment', ['column', 'value']);
  if (!read.has('value')) read.fail('assignment: "value" is missing; null empties the field');
  return read.finish({ column: read.text('column', 256), value: read.raw('value') ?? null });
}

export function updateRows(read: Fields): Change {
  const name = read.text('table', 256);
  const filter = decodeFilter(read);
  const set = read
    .list('set', 1, 100)
    .map((entry) => read.nested(decodeAssignment(entry), { column: '', value: null }));
  read.nested(requireFilter(filter, read.flag('all')), filter);
  return {
    kind: 'write',
    touchesRows: true,
    plan: (database) => {
      const target = findTarget(database, name, filter);
      if (!target.ok) return target;
      const columns = pickColumns(
        target.value.table,
        set.map((assignment) => assignment.column),
      );
      if (!columns.ok) return columns;
      const cells: Cell[] = [];
      for (const [at, column] of columns.value.entries()) {
        const cell = toCell(column, set[at]?.value ?? null);
        if (!cell.ok) return cell;
        cells.push(cell.value);
      }
      return accept(updatePlan(target.value, columns.value, cells));
    },
  };
}

export function deleteRows(read: Fields): Change {
  const name = read.text('table', 256);
  const filter = decodeFilter(read);
  read.nested(requireFilter(filter, read.flag('all')), filter);
  return {
    kind: 'write',
    touchesRows: true,
    plan: (database) => {
      const target = findTarget(database, name, filter);
      return target.ok ? accept(deletePlan(target.value)) : target;
    },
  };
}
