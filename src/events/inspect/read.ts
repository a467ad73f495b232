/** `journal tail`, `show` and `export`: records as they were written, never upcast. */
import type { Either } from '../../contract/fp.js';
import { parseRecord } from '../codec.js';
import type { JournalRecord } from '../event.js';
import { readHead } from '../lmdb/head.js';
import type { Databases } from '../lmdb/layout.js';
import type { OpenRefusal } from '../lmdb/open-refusal.js';
import { TailIndex } from '../lmdb/tail-index.js';
import type { Hold } from './kept.js';
import { readOnly } from './read-only.js';

const SLICE = 1_000;
/** Most records one `tail` or `show` answers. */
export const MOST_RECORDS = 10_000;

/** The last `count` records, oldest first. */
export function tailRecords(
  directory: string,
  count: number,
  hold?: Hold,
): Promise<Either<OpenRefusal, readonly JournalRecord[]>> {
  const read = (db: Databases) => {
    const last = readHead(db).position;
    return range(db, Math.max(1, last - Math.min(count, MOST_RECORDS) + 1), last);
  };
  return readOnly(directory, read, hold);
}

/** One record by position, or those of a stream, or those of an operation (all in its first append's stream). */
export type Which = { readonly position: number } | { readonly stream: string } | { readonly operationId: string };

/** The records asked for, oldest first; none when there is nothing of that name. */
export function showRecords(
  directory: string,
  which: Which,
  hold?: Hold,
): Promise<Either<OpenRefusal, readonly JournalRecord[]>> {
  const read = (db: Databases) => {
    if ('position' in which) return range(db, which.position, which.position);
    const index = new TailIndex(db, readHead(db).position);
    if ('stream' in which) return at(db, index.allOf(which.stream).slice(-MOST_RECORDS));
    const first = index.operationPosition(which.operationId);
    if (first === undefined) return [];
    const stream = at(db, [first])[0]?.stream ?? '';
    const candidates = index.allOf(stream).filter((position) => position >= first);
    return at(db, candidates.slice(0, MOST_RECORDS)).filter((record) => record.operationId === which.operationId);
  };
  return readOnly(directory, read, hold);
}

function range(db: Databases, from: number, to: number): JournalRecord[] {
  return [...db.log.getRange({ start: from, end: to + 1 })].map(({ key, value }) => parseRecord(key, value));
}

function at(db: Databases, positions: readonly number[]): JournalRecord[] {
  return positions.map((position) => parseRecord(position, db.log.get(position) ?? Buffer.alloc(0)));
}

/** Every record from `from` to the head of now, one a line, in chunks; each line has the bytes that were written. */
export async function exportNdjson(
  directory: string,
  write: (chunk: Uint8Array) => void | Promise<void>,
  options: { readonly from?: number; readonly to?: number } = {},
  hold?: Hold,
): Promise<Either<OpenRefusal, number>> {
  const newline = Buffer.from('\n');
  const read = async (db: Databases) => {
    let lines = 0;
    const last = Math.min(options.to ?? Number.MAX_SAFE_INTEGER, readHead(db).position);
    for (let from = Math.max(1, options.from ?? 1); from <= last; from += SLICE) {
      const parts: Uint8Array[] = [];
      for (const { value } of db.log.getRange({ start: from, end: Math.min(from + SLICE, last + 1) })) {
        parts.push(value, newline);
        lines += 1;
      }
      await write(Buffer.concat(parts));
      await new Promise((resume) => setImmediate(resume));
    }
    return lines;
  };
  return readOnly(directory, read, hold);
}
