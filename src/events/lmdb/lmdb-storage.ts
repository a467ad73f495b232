/**
 * Storage in one LMDB environment. A batch is one `transactionSync`: the only call that really rolls back, throws
 * when the sync fails, and returns after data and meta page are on disk. The loop waits for the disk meanwhile.
 */
import { parseRecord } from '../codec.js';
import type { JournalRecord } from '../event.js';
import type { Head, OperationClaim, Snapshot } from '../journal.js';
import { SALT_BYTES } from '../sealed-body.js';
import type { Batch, SpaceShortage, Storage } from '../storage.js';
import type { AnchorWriter } from './anchor.js';
import { FileGuard } from './file-guard.js';
import { readHead, writeHead } from './head.js';
import { bodyKey, type Databases } from './layout.js';
import { readSnapshot, writeSnapshot } from './snapshots.js';
import type { SpaceGuard } from './space.js';
import { TailIndex } from './tail-index.js';

/** Positions are four-byte keys; the refusal comes long before the key would wrap. */
const LAST_POSITION = 0xffff_0000;
const APPEND = { append: true } as const;
const REMEMBERED_STREAMS = 20_000;

export class LmdbStorage implements Storage {
  private last: Head;
  private readonly index: TailIndex;
  private readonly revisions = new Map<string, number>();
  private readonly file: FileGuard;

  constructor(
    private readonly directory: string,
    private readonly db: Databases,
    private readonly anchor: AnchorWriter,
    private readonly space: SpaceGuard,
    private readonly onWarning: (message: string) => void,
    private readonly release: () => void,
    indexTail?: number,
  ) {
    this.last = readHead(db);
    this.index = new TailIndex(db, this.last.position, indexTail);
    this.file = new FileGuard(directory);
  }

  head(): Head {
    return this.last;
  }

  shortage(bytes: number): SpaceShortage | undefined {
    return this.space.shortage(bytes);
  }

  commit(batch: Batch): void {
    const { db } = this;
    if (batch.head.position > LAST_POSITION) throw new Error('the journal has no positions left');
    this.file.check();
    const flushed = db.env.transactionSync(() => {
      this.file.follows(db.env.getWriteTxnId());
      for (const { position, bytes } of batch.records)
        stored(db.log.putSync(position, bytes as Buffer, APPEND), 'record');
      for (const { ref, salt, bytes } of batch.bodies)
        stored(db.bodies.putSync(bodyKey(ref), Buffer.concat([salt, bytes])), 'body');
      for (const ref of batch.erase) db.bodies.removeSync(bodyKey(ref));
      writeHead(db, batch.head);
      return this.index.write(batch);
    });
    this.file.check();
    this.index.committed(batch, flushed);
    for (const { stream, revision } of batch.records) this.remember(stream, revision);
    this.last = batch.head;
    this.anchor.note(batch.head);
  }

  slice(from: number, limit: number): readonly { position: number; bytes: Uint8Array }[] {
    const out: { position: number; bytes: Uint8Array }[] = [];
    for (const { key, value } of this.db.log.getRange({ start: from, limit }))
      out.push({ position: key, bytes: value });
    return out;
  }

  texts(from: number, limit: number): Iterable<{ readonly key: number; readonly value: string }> {
    return this.db.logText.getRange({ start: from, limit });
  }

  bytes(position: number): Uint8Array | undefined {
    return this.db.log.get(position);
  }

  streamRevision(stream: string): number {
    const known = this.revisions.get(stream);
    if (known !== undefined) return known;
    const position = this.index.lastOf(stream);
    const revision = position === undefined ? 0 : this.named(position, stream).revision;
    this.remember(stream, revision);
    return revision;
  }

  /** A bounded memory of last revisions; what was used longest ago leaves first. */
  private remember(stream: string, revision: number): void {
    this.revisions.delete(stream);
    this.revisions.set(stream, revision);
    if (this.revisions.size <= REMEMBERED_STREAMS) return;
    for (const oldest of this.revisions.keys()) {
      this.revisions.delete(oldest);
      break;
    }
  }

  streamPositions(stream: string): readonly number[] {
    return this.index.allOf(stream);
  }

  private named(position: number, stream: string): JournalRecord {
    const record = parseRecord(position, this.db.log.get(position) ?? Buffer.alloc(0));
    if (record.stream !== stream) throw new Error(`the index names record ${position} for a stream it is not in`);
    return record;
  }

  claim(operationId: string): OperationClaim | undefined {
    const position = this.index.operationPosition(operationId);
    if (position === undefined) return undefined;
    const record = parseRecord(position, this.db.log.get(position) ?? Buffer.alloc(0));
    if (record.operationId !== operationId)
      throw new Error(`the index names record ${position} for an operation it does not carry`);
    return { operationId, position, stream: record.stream };
  }

  body(ref: string): { readonly salt: Uint8Array; readonly bytes: Uint8Array } | undefined {
    const value = this.db.bodies.get(bodyKey(ref));
    return value === undefined ? undefined : { salt: value.subarray(0, SALT_BYTES), bytes: value.subarray(SALT_BYTES) };
  }

  loadSnapshot(): Snapshot | undefined {
    return readSnapshot(this.directory);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    try {
      await writeSnapshot(this.directory, snapshot);
    } catch (error) {
      this.onWarning(`the snapshot was not written: ${String(error)}`);
    }
  }

  hold(): () => void {
    const transaction = this.db.env.useReadTransaction();
    return () => transaction.done();
  }

  async close(): Promise<void> {
    try {
      await this.anchor.close();
      await this.db.env.close();
    } finally {
      this.file.close();
      this.release();
    }
  }
}

/** lmdb answers a refused put with `false`; unchecked, that is a lost event. */
function stored(answer: unknown, what: string): void {
  if (answer !== true) throw new Error(`the storage refused to add a ${what}`);
}
