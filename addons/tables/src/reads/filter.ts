/** Which rows a call means: by their keys, by conditions that all hold, or, said outright, all of them. */
import { accept, malformed, type Outcome, unfit } from '../outcome.js';
import { asciiFold, type Column, type Table } from '../store/database.js';
import { type Cell, quoted } from '../store/sqlite.js';
import { toCell } from '../values/cells.js';
import { Fields } from '../wire/fields.js';
import type { Json } from '../wire/json.js';

const OPERATORS = [
  'equals',
  'differs',
  'less',
  'at-most',
  'greater',
  'at-least',
  'contains',
  'starts-with',
  'is-empty',
  'is-not-empty',
] as const;
type Operator = (typeof OPERATORS)[number];

interface Condition {
  readonly column: string;
  readonly operator: Operator;
  readonly value: Json;
}

export interface Filter {
  readonly ids?: readonly number[];
  readonly where: readonly Condition[];
}

export interface Predicate {
  /** SQL with a place for each parameter; `1` when every row is meant. */
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

const COMPARED: Partial<Record<Operator, string>> = {
  equals: 'IS',
  differs: 'IS NOT',
  less: '<',
  'at-most': '<=',
  greater: '>',
  'at-least': '>=',
};

function decodeCondition(value: Json): Outcome<Condition> {
  const read = new Fields(value, 'condition', ['column', 'operator', 'value']);
  const operator = read.oneOf('operator', OPERATORS);
  const wantsValue = operator !== 'is-empty' && operator !== 'is-not-empty';
  if (wantsValue !== read.has('value')) {
    read.fail(`condition: "${operator}" ${wantsValue ? 'needs a "value"' : 'takes no "value"'}`);
  }
  return read.finish({ column: read.text('column', 256), operator, value: read.raw('value') ?? null });
}

/** Reads `ids` and `where` of a call. */
export function decodeFilter(read: Fields): Filter {
  const where: Condition[] = [];
  for (const entry of read.has('where') ? read.list('where', 1, 16) : []) {
    const condition = decodeCondition(entry);
    where.push(read.nested(condition, { column: '', operator: 'is-empty', value: null }));
  }
  if (!read.has('ids')) return { where };
  const ids = read.list('ids', 1, 1000);
  if (!ids.every((id) => Number.isSafeInteger(id))) read.fail('"ids" must be whole numbers');
  return { where, ids: ids as number[] };
}

/** Changes name their rows: leaving both out by mistake must not mean every row. */
export function requireFilter(filter: Filter, all: boolean): Outcome<Filter> {
  const named = filter.ids !== undefined || filter.where.length > 0;
  if (named === all) {
    return malformed('Say which rows: "ids" or "where", or "all": true for every row, and not both.');
  }
  return accept(filter);
}

function toPredicate(column: Column, { operator, value }: Condition): Outcome<Predicate> {
  const name = quoted(column.name);
  if (operator === 'is-empty') return accept({ sql: `${name} IS NULL`, parameters: [] });
  if (operator === 'is-not-empty') return accept({ sql: `${name} IS NOT NULL`, parameters: [] });
  if (operator === 'contains' || operator === 'starts-with') {
    if (column.type !== 'text' || typeof value !== 'string') {
      return unfit('bad_value', `"${operator}" compares a text column with a text, and "${column.name}" is not that.`);
    }
    const sql = operator === 'contains' ? `instr(${name}, ?) > 0` : `substr(${name}, 1, length(?)) = ?`;
    const cell = toCell(column, value);
    if (!cell.ok) return cell;
    return accept({ sql, parameters: operator === 'contains' ? [cell.value] : [cell.value, cell.value] });
  }
  const cell = toCell(column, value);
  return cell.ok ? accept({ sql: `${name} ${COMPARED[operator]} ?`, parameters: [cell.value] }) : cell;
}

/** The SQL condition of a filter. Values are parameters, names are quoted: neither can be read as SQL. */
export function predicate(table: Table, filter: Filter): Outcome<Predicate> {
  const parts: Predicate[] = [];
  if (filter.ids !== undefined) {
    const places = filter.ids.map(() => '?').join(', ');
    parts.push({ sql: `rowid IN (${places})`, parameters: filter.ids });
  }
  for (const condition of filter.where) {
    const column = table.columns.find((candidate) => asciiFold(candidate.name) === asciiFold(condition.column));
    if (column === undefined) {
      return unfit('unknown_column', `The table "${table.name}" has no column "${condition.column}".`);
    }
    const part = toPredicate(column, condition);
    if (!part.ok) return part;
    parts.push(part.value);
  }
  if (parts.length === 0) return accept({ sql: '1', parameters: [] });
  return accept({
    sql: parts.map((part) => `(${part.sql})`).join(' AND '),
    parameters: parts.flatMap((part) => part.parameters),
  });
}
