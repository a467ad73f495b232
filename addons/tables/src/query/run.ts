/** Runs one judged query on a connection of its own that can only read, within bounds of rows, bytes and memory. */
import { typeNamed } from '../store/database.js';
import { Connection, sqliteCode } from '../store/sqlite.js';
import { toJson } from '../values/cells.js';
import type { Json } from '../wire/json.js';
import { judge } from './judge.js';
import type { QueryAnswer, QueryJob } from './messages.js';

/** What SQLite may use for sorting, grouping and single values; past it the query fails, not the process. */
const HEAP_BYTES = 64 * 1024 * 1024;

const readOnly = (path: string) => `file:${path.split('/').map(encodeURIComponent).join('/')}?mode=ro`;

function collect(connection: Connection, job: QueryJob): QueryAnswer {
  const refused = judge(connection, job.sql);
  if (refused !== undefined) return { refused };
  const statement = connection.prepare(job.sql);
  const columns = statement.columns();
  const rows: Json[][] = [];
  let bytes = 1_024 + Buffer.byteLength(JSON.stringify(columns.map((column) => column.name)));
  let truncated = false;
  for (const found of statement.each(...job.parameters)) {
    const row = found.map((value, at) => toJson(typeNamed(columns[at]?.type ?? null), value));
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    truncated = rows.length === job.rows || bytes > job.bytes;
    if (truncated) break;
    rows.push(row);
  }
  return { payload: { columns: columns.map((column) => column.name), rows, truncated } };
}

/** Answers rows, or why there are none. A fault is one of the file or the disk, never of the query. */
export function runQuery(job: QueryJob): QueryAnswer {
  let connection: Connection | undefined;
  try {
    connection = new Connection(readOnly(job.path));
    for (const setting of ['query_only = ON', 'trusted_schema = OFF', `hard_heap_limit = ${HEAP_BYTES}`]) {
      connection.set(setting);
    }
    return collect(connection, job);
  } catch (fault) {
    const code = sqliteCode(fault) ?? '';
    const message = fault instanceof Error ? fault.message : String(fault);
    if (code === 'SQLITE_NOMEM') return { refused: 'The query needs more memory than a query may use.' };
    if (/^SQLITE_(ERROR|RANGE|MISMATCH|TOOBIG|AUTH|READONLY|CONSTRAINT)/.test(code)) return { refused: message };
    return { fault: `${code} ${message}` };
  } finally {
    connection?.close();
  }
}
