/**
 * Decides what a free query may touch by reading the program SQLite compiled it to. This SQLite has functions that
 * read and write files and can attach other databases, and its driver has no authorizer that covers them; the text of
 * a query can hide a name, the compiled program cannot.
 */
import { isInternal } from '../store/database.js';
import type { Connection } from '../store/sqlite.js';

const FUNCTIONS = new Set(
  `-> ->> abs acos asin atan atan2 avg ceil ceiling char coalesce concat concat_ws cos count cume_dist current_date
   current_time current_timestamp date datetime degrees dense_rank exp first_value floor format glob group_concat hex
   ifnull iif instr json json_array json_array_length json_extract json_group_array json_group_object json_object
   json_type json_valid julianday lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim max
   median min mod nth_value ntile nullif octet_length percent_rank pi pow power printf quote radians random rank
   replace round row_number rtrim sign sin sqrt stdev strftime string_agg substr substring subtype sum tan time
   timediff total trim trunc typeof unicode unixepoch unlikely upper variance`.split(/\s+/),
);

/** Programs that call a function, by name and number of arguments in their fourth operand. */
const CALLS = /^(Function|PureFunc|Agg(Step1?|Inverse|Value|Final))$/;
/** What opens something on disk: only reading a person's own tables, in the one database, is allowed. */
const READS = /^(OpenRead|ReopenIdx)$/;
const FORBIDDEN =
  /^(V[A-Z].*|OpenWrite|Vacuum|IncrVacuum|JournalMode|Checkpoint|AutoCommit|Savepoint|SetCookie|CreateBtree|Destroy|Clear|ParseSchema|LoadAnalysis|Drop.*|Program|TableLock|SqlExec|Expire|CursorLock|Pagecount|MaxPgcnt)$/;
/** Two opcodes that begin like those of virtual tables and have nothing to do with them. */
const HARMLESS = /^(Variable|VerifySchemaCookie)$/;

/** The pages a person's tables and their indices begin on. The add-on's own tables are not among them. */
function readablePages(connection: Connection): Set<number> {
  return new Set(
    connection
      .all("SELECT tbl_name, rootpage FROM sqlite_schema WHERE type IN ('table', 'index')")
      .filter((row) => !isInternal(String(row[0])))
      .map((row) => Number(row[1])),
  );
}

/** Why the query may not run, or undefined when it may. Compiles the query and does not run it. */
export function judge(connection: Connection, sql: string): string | undefined {
  const pages = readablePages(connection);
  for (const [, opcode, , p2, p3, p4] of connection.prepare(`EXPLAIN ${sql}`).each()) {
    const name = String(opcode);
    if (CALLS.test(name)) {
      const called = String(p4).replace(/\(-?\d+\)$/, '');
      if (!FUNCTIONS.has(called)) return `The function "${called.slice(0, 64)}" is not available in queries.`;
    } else if (READS.test(name)) {
      if (Number(p3) !== 0 || !pages.has(Number(p2)))
        return 'Queries read the tables that "inspect" lists, nothing else.';
    } else if (FORBIDDEN.test(name) && !HARMLESS.test(name)) {
      return 'Queries read ordinary tables: no table-valued functions, virtual tables or changes.';
    }
  }
  return undefined;
}
