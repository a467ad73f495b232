/** Which values a column takes, from JSON and from CSV text, and how a stored value is shown as JSON. */
import { accept, type Outcome, unfit } from '../outcome.js';
import type { Column, ColumnType } from '../store/database.js';
import type { Cell, Found } from '../store/sqlite.js';
import type { Json } from '../wire/json.js';

/** Characters of one text. A whole call is at most 1 MiB, so this mostly protects what reads it. */
export const MAX_TEXT = 65_536;
const INTEGER = /^[+-]?\d{1,16}$/;
const REAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;
const DAYS = /^(\d{4})-(\d{2})-(\d{2})$/;

export function isDate(text: string): boolean {
  const parts = DAYS.exec(text);
  if (parts === null) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text;
}

const WANTED: Record<ColumnType, string> = {
  text: `a text of at most ${MAX_TEXT} characters without NUL characters`,
  integer: 'a whole number of at most 15 digits',
  real: 'a number',
  boolean: 'true or false',
  date: 'a date written as YYYY-MM-DD',
};

const shown = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
};

const misfit = (column: Column, value: Json) =>
  unfit('bad_value', `The column "${column.name}" takes ${WANTED[column.type]}, not ${shown(value)}.`);

/** The stored form of a JSON value. `null` fits every column. */
export function toCell(column: Column, value: Json): Outcome<Cell> {
  if (value === null) return accept(null);
  const fits = {
    text: () => typeof value === 'string' && value.length <= MAX_TEXT && !value.includes('\0'),
    integer: () => typeof value === 'number' && Number.isSafeInteger(value),
    real: () => typeof value === 'number' && Number.isFinite(value),
    boolean: () => typeof value === 'boolean',
    date: () => typeof value === 'string' && isDate(value),
  }[column.type]();
  if (!fits || Array.isArray(value) || typeof value === 'object') return misfit(column, value);
  return accept(typeof value === 'boolean' ? Number(value) : value);
}

/** The JSON value that a CSV field means in a column: an empty field is no value. */
export function fromText(column: Column, text: string): Outcome<Json> {
  if (text === '') return accept(null);
  if (column.type === 'text' || column.type === 'date') return accept(text);
  if (column.type === 'boolean' && /^(true|false)$/i.test(text)) return accept(text.toLowerCase() === 'true');
  if (column.type === 'integer' && INTEGER.test(text)) return accept(Number(text));
  if (column.type === 'real' && REAL.test(text)) return accept(Number(text));
  return misfit(column, text);
}

/** The type that fits every field of a column. Numbers with leading zeros stay text, since they are codes. */
export function inferType(fields: Iterable<string>): ColumnType {
  let seen = false;
  const could = { integer: true, real: true, boolean: true, date: true };
  for (const field of fields) {
    if (field === '') continue;
    seen = true;
    const coded = /^[+-]?0\d/.test(field);
    could.integer &&= !coded && INTEGER.test(field) && Number.isSafeInteger(Number(field));
    could.real &&= !coded && REAL.test(field) && Number.isFinite(Number(field));
    could.boolean &&= /^(true|false)$/i.test(field);
    could.date &&= isDate(field);
    if (!could.integer && !could.real && !could.boolean && !could.date) return 'text';
  }
  if (!seen) return 'text';
  const found = (['integer', 'real', 'boolean', 'date'] as const).find((type) => could[type]);
  return found ?? 'text';
}

/** A stored or computed value as JSON. Numbers JSON cannot hold become texts, bytes become hexadecimal. */
export function toJson(type: ColumnType | undefined, value: Found): Json {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  if (typeof value === 'bigint') return value.toString();
  if (type === 'boolean' && (value === 0 || value === 1)) return value === 1;
  return Number.isFinite(value) ? value : String(value);
}
