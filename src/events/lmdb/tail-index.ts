/**
 * Streams and operation ids of the newest records, in memory and bounded; when enough have gathered they become a
 * bucket of the two indexes, in the transaction of the batch that filled them. After a start they are read back from
 * the log, so the index on disk and the log never disagree.
 */
import type { JournalRecord } from '../event.js';
import type { Batch } from '../storage.js';
import type { Databases } from './layout.js';
import { type IndexEntry, PackedIndex } from './packed-index.js';

/** Reading this many records back takes some tens of milliseconds; their names a few megabytes. */
const TAIL_RECORDS = 8_192;

interface Flushed {
  readonly streams: Buffer;
  readonly operations: Buffer;
}

export class TailIndex {
  private readonly streamIndex: PackedIndex;
  private readonly operationIndex: PackedIndex;
  private streams = new Map<string, number[]>();
  private operations = new Map<string, number>();
  private size = 0;

  constructor(
    private readonly db: Databases,
    headPosition: number,
    private readonly tailRecords: number = TAIL_RECORDS,
  ) {
    this.streamIndex = new PackedIndex(db.streams);
    this.operationIndex = new PackedIndex(db.operations);
    const indexed = Number(db.meta.get('indexed') ?? 0);
    for (const { key, value } of db.logText.getRange({ start: indexed + 1, end: headPosition + 1 })) {
      const { stream, operationId } = JSON.parse(value) as JournalRecord;
      this.noteStream(stream, key);
      if (operationId !== undefined && this.operationPosition(operationId) === undefined)
        this.operations.set(operationId, key);
    }
  }

  private noteStream(stream: string, position: number): void {
    const positions = this.streams.get(stream);
    if (positions === undefined) this.streams.set(stream, [position]);
    else positions.push(position);
    this.size += 1;
  }

  /** Call it inside the transaction of the batch; writes a bucket when the tail is full. */
  write(batch: Batch): Flushed | undefined {
    if (this.size + batch.records.length < this.tailRecords) return undefined;
    const streams: IndexEntry[] = [];
    for (const [name, positions] of this.streams) for (const position of positions) streams.push({ name, position });
    for (const { stream, position } of batch.records) streams.push({ name: stream, position });
    const operations: IndexEntry[] = [];
    for (const [name, position] of this.operations) operations.push({ name, position });
    for (const { operationId, position } of batch.claims) operations.push({ name: operationId, position });
    const flushed = { streams: this.streamIndex.write(streams), operations: this.operationIndex.write(operations) };
    if ((this.db.meta.putSync('indexed', String(batch.head.position)) as unknown) !== true)
      throw new Error('the storage refused to move the index');
    return flushed;
  }

  /** Call it once the batch is durable, with what `write` answered. */
  committed(batch: Batch, flushed: Flushed | undefined): void {
    if (flushed !== undefined) {
      this.streamIndex.added(flushed.streams);
      this.operationIndex.added(flushed.operations);
      this.streams = new Map();
      this.operations = new Map();
      this.size = 0;
      return;
    }
    for (const { stream, position } of batch.records) this.noteStream(stream, position);
    for (const { operationId, position } of batch.claims) this.operations.set(operationId, position);
  }

  /** Position of the stream's last event. */
  lastOf(stream: string): number | undefined {
    const tail = this.streams.get(stream);
    if (tail !== undefined) return tail.at(-1);
    for (const positions of this.streamIndex.newestFirst(stream)) return positions.at(-1);
    return undefined;
  }

  /** Positions of the stream's events, ascending. */
  allOf(stream: string): readonly number[] {
    const groups: (readonly number[])[] = [this.streams.get(stream) ?? [], ...this.streamIndex.newestFirst(stream)];
    return groups.reverse().flat();
  }

  /** Position of the first use of an operation id. */
  operationPosition(operationId: string): number | undefined {
    const tail = this.operations.get(operationId);
    if (tail !== undefined) return tail;
    for (const positions of this.operationIndex.newestFirst(operationId)) return positions[0];
    return undefined;
  }
}
