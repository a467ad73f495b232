/** Every tool by its name: what kind of call it is, which arguments it takes, and what carries it out. */
import type { Change } from './changes/change.js';
import { deleteRows, updateRows } from './changes/edit.js';
import { importCsv, insertRows } from './changes/rows.js';
import { alterTable, createTable, createTableFromCsv, dropTable, renameDatabase } from './changes/schema.js';
import { type Outcome, unfit } from './outcome.js';
import { Fields } from './wire/fields.js';
import type { JsonObject } from './wire/json.js';
import type { Limits } from './wire/shapes.js';

interface ChangeTool {
  readonly kind: 'write' | 'schema';
  readonly fields: readonly string[];
  readonly decode: (read: Fields, limits: Limits) => Change;
}

const FILTER = ['ids', 'where', 'all'];

const CHANGES: Readonly<Record<string, ChangeTool>> = {
  'insert-rows': {
    kind: 'write',
    fields: ['table', 'columns', 'rows'],
    decode: (read, limits) => insertRows(read, limits.batchSize),
  },
  'update-rows': { kind: 'write', fields: ['table', 'set', ...FILTER], decode: updateRows },
  'delete-rows': { kind: 'write', fields: ['table', ...FILTER], decode: deleteRows },
  'import-csv': { kind: 'write', fields: ['table', 'csv'], decode: importCsv },
  'create-table': { kind: 'schema', fields: ['table', 'columns'], decode: createTable },
  'create-table-from-csv': { kind: 'schema', fields: ['table', 'csv'], decode: createTableFromCsv },
  'alter-table': { kind: 'schema', fields: ['table', 'change', 'column', 'to', 'type'], decode: alterTable },
  'drop-table': { kind: 'schema', fields: ['table'], decode: dropTable },
  'rename-database': { kind: 'schema', fields: ['name'], decode: renameDatabase },
};

/** The change that arguments describe. Refuses unknown tools, a tool under another action, and malformed arguments. */
export function decodeChange(action: string, args: JsonObject, limits: Limits): Outcome<Change> {
  const name = typeof args.tool === 'string' ? args.tool : '';
  const tool = Object.hasOwn(CHANGES, name) ? CHANGES[name] : undefined;
  if (tool === undefined) return unfit('unknown_tool', 'There is no such tool for changes.');
  if (tool.kind !== action) return unfit('wrong_action', `The tool "${name}" is a "${tool.kind}", not a "${action}".`);
  const read = new Fields(args, name, ['tool', ...tool.fields]);
  return read.finish(tool.decode(read, limits));
}
