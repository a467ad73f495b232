/** Receipts as rows: the same table stands in every database file and in the registry. */
import type { Json } from '../wire/json.js';
import type { Receipt, Revision } from '../wire/shapes.js';
import type { Connection } from './sqlite.js';

/** Receipts are kept longer than any owner asks for them (30 days, 10:245-251), and never fewer than the newest. */
const KEEP_MS = 40 * 24 * 3_600_000;
const KEEP_NEWEST = 1_000;

export interface StoredReceipt {
  readonly receipt: Receipt;
  /** Everything the operation id stands for; another binding under the same id is a conflict (05:301-304). */
  readonly binding: string;
}

export const RECEIPTS_TABLE = '__tables_receipts';

export const CREATE_RECEIPTS = `CREATE TABLE IF NOT EXISTS ${RECEIPTS_TABLE} (
  operation TEXT PRIMARY KEY, binding TEXT NOT NULL, state TEXT NOT NULL, schema_revision INTEGER NOT NULL,
  data_revision INTEGER NOT NULL, payload TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID`;

const COLUMNS = 'operation, binding, state, schema_revision, data_revision, payload, at';

export function findReceipt(connection: Connection, operationId: string): StoredReceipt | undefined {
  const row = connection.first(`SELECT ${COLUMNS} FROM ${RECEIPTS_TABLE} WHERE operation = ?`, operationId);
  if (row === undefined) return undefined;
  const revision: Revision = { schema: Number(row[3]), data: Number(row[4]) };
  const state = row[2] === 'committed' ? 'committed' : 'rejected';
  const payload = JSON.parse(String(row[5])) as Json;
  return { binding: String(row[1]), receipt: { operationId, state, revision, result: { payload } } };
}

export function writeReceipt(connection: Connection, stored: StoredReceipt, now: Date): void {
  const { receipt, binding } = stored;
  connection.run(
    `INSERT INTO ${RECEIPTS_TABLE} (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    receipt.operationId,
    binding,
    receipt.state,
    receipt.revision.schema,
    receipt.revision.data,
    JSON.stringify(receipt.result.payload),
    now.getTime(),
  );
  connection.run(
    `DELETE FROM ${RECEIPTS_TABLE} WHERE at < ? AND operation NOT IN
       (SELECT operation FROM ${RECEIPTS_TABLE} ORDER BY at DESC LIMIT ${KEEP_NEWEST})`,
    now.getTime() - KEEP_MS,
  );
}

/** Copies every receipt: those of a database outlive its file, so that a late look-up still finds its answer. */
export function copyReceipts(from: Connection, to: Connection): void {
  const insert = to.prepare(`INSERT OR IGNORE INTO ${RECEIPTS_TABLE} (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  for (const row of from.prepare(`SELECT ${COLUMNS} FROM ${RECEIPTS_TABLE}`).each()) {
    insert.run(...row.map((value) => (typeof value === 'number' || typeof value === 'string' ? value : String(value))));
  }
}
