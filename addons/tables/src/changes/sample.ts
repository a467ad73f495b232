/** Effects as a person reads them on an approval card: few, short, and honest about what was cut. */
import type { Column } from '../store/database.js';
import type { Cell, Found } from '../store/sqlite.js';
import { toJson } from '../values/cells.js';
import type { Json, JsonObject } from '../wire/json.js';
import { SAMPLE_ENTRIES } from './change.js';

const SHOWN_CHARACTERS = 200;
const SHOWN_COLUMNS = 24;
const SAMPLE_BYTES = 15_000;

function cut(value: Json): Json {
  if (typeof value !== 'string' || value.length <= SHOWN_CHARACTERS) return value;
  const head = value.slice(0, SHOWN_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  return `${head}… (${value.length - head.length} more characters)`;
}

export function shownRow(columns: readonly Column[], cells: readonly (Cell | Found)[]): JsonObject {
  const entries = columns
    .slice(0, SHOWN_COLUMNS)
    .map((column, at): [string, Json] => [column.name, cut(toJson(column.type, cells[at] ?? null))]);
  const rest = columns.length - SHOWN_COLUMNS;
  return Object.fromEntries(rest > 0 ? [...entries, ['…', `${rest} more columns`]] : entries);
}

/** Keeps as many of the first entries as fit into the sample an owner keeps (20 entries, 16 KiB). */
export function bounded(entries: Iterable<Json>): readonly Json[] {
  const kept: Json[] = [];
  let bytes = 0;
  for (const entry of entries) {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (kept.length === SAMPLE_ENTRIES || bytes > SAMPLE_BYTES) break;
    kept.push(entry);
  }
  return kept;
}
