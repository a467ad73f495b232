/**
 * Checks a whole journal: every hash, position and revision, the head, the anchor, the indexes and the bodies. It runs
 * in a child process, since a damaged page ends the reader by a signal.
 */
import { chainFault, parseRecord } from '../codec.js';
import type { Head } from '../journal.js';
import { readHead } from '../lmdb/head.js';
import type { Databases } from '../lmdb/layout.js';
import { bodyRef, SALT_BYTES } from '../sealed-body.js';
import { ZERO_HASH } from '../sha256.js';
import { IndexAudit } from './index-audit.js';

/** `position` is the first bad one; absent when the log is intact and something beside it is not. */
export type Finding = { readonly position?: number; readonly reason: string };

export interface WalkOptions {
  readonly from: number;
  readonly slice: number;
  readonly anchor?: Head | undefined;
  /** Called after each slice that was good, with the last position of it. */
  readonly progress: (position: number) => void;
}

/** What is wrong first, or the head that everything leads to. */
export async function walk(db: Databases, options: WalkOptions): Promise<Finding | Head> {
  const head = readHead(db);
  const beyond = [...db.log.getKeys({ start: head.position + 1, limit: 1 })][0];
  const audit = options.from === 1 ? new IndexAudit(db) : undefined;
  const revisions = new Map<string, number>();
  let last: Head = before(db, options.from);
  while (last.position < head.position) {
    const end = Math.min(last.position + options.slice, head.position);
    for (let position = last.position + 1; position <= end; position += 1) {
      const bytes = db.log.get(position);
      if (bytes === undefined) return { position, reason: 'the record is missing' };
      const fault = recordFault(bytes, position, last.hash);
      if (fault !== undefined) return { position, reason: fault };
      const record = parseRecord(position, bytes);
      if (audit !== undefined) {
        const revision = (revisions.get(record.stream) ?? 0) + 1;
        if (record.revision !== revision) return { position, reason: `its revision is not ${revision}` };
        revisions.set(record.stream, revision);
        const stale = audit.add(record);
        if (stale !== undefined) return { position, reason: stale };
      }
      if (options.anchor?.position === position && options.anchor.hash !== record.hash)
        return { position, reason: 'it is not the record that was anchored' };
      last = { position, hash: record.hash };
    }
    options.progress(last.position);
    await new Promise((resume) => setImmediate(resume));
  }
  if (last.hash !== head.hash) return { position: head.position, reason: 'the head names another hash' };
  if (beyond !== undefined) return { position: beyond, reason: 'there is a record behind the head' };
  const short = options.anchor !== undefined && options.anchor.position > head.position;
  if (short) return { position: head.position + 1, reason: 'the journal ends before its anchor' };
  return (await bodyFault(db)) ?? head;
}

function before(db: Databases, from: number): Head {
  const bytes = from === 1 ? undefined : db.log.get(from - 1);
  if (bytes === undefined) return { position: 0, hash: ZERO_HASH };
  return { position: from - 1, hash: parseRecord(from - 1, bytes).hash };
}

function recordFault(bytes: Uint8Array, position: number, prev: string): string | undefined {
  try {
    return chainFault(bytes, position, prev);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function bodyFault(db: Databases): Promise<Finding | undefined> {
  let checked = 0;
  for (const { key, value } of db.bodies.getRange({})) {
    const ref = `sha256:${key.toString('hex')}`;
    if (bodyRef(value.subarray(0, SALT_BYTES), value.subarray(SALT_BYTES)) !== ref)
      return { reason: `the body ${ref} does not match its reference` };
    checked += 1;
    if (checked % 1_000 === 0) await new Promise((resume) => setImmediate(resume));
  }
  return undefined;
}
