/** Rebuilds each bucket of the two indexes from the log and compares it with what is stored. */
import type { JournalRecord } from '../event.js';
import type { Databases } from '../lmdb/layout.js';
import { type IndexEntry, makeFilter, PackedIndex, packEntries } from '../lmdb/packed-index.js';

export class IndexAudit {
  private readonly streams: PackedIndex;
  private readonly operations: PackedIndex;
  private readonly ends: readonly number[];
  private bucket = 0;
  private streamEntries: IndexEntry[] = [];
  private operationEntries = new Map<string, number>();

  constructor(private readonly db: Databases) {
    this.streams = new PackedIndex(db.streams);
    this.operations = new PackedIndex(db.operations);
    // Each record stands in one bucket of the stream index, so the sizes say where each bucket ends.
    let end = 0;
    this.ends = Array.from({ length: this.streams.buckets }, (_, bucket) => {
      end += this.streams.entries(bucket);
      return end;
    });
  }

  /** Takes the next record; answers what is wrong with the bucket that it completes. */
  add(record: JournalRecord): string | undefined {
    const { stream, operationId, position } = record;
    if (this.bucket >= this.ends.length) return undefined;
    this.streamEntries.push({ name: stream, position });
    if (operationId !== undefined && !this.operationEntries.has(operationId)) {
      // An id that the index does not know at all is counted too, so that the bucket does not match.
      const first = this.first(operationId);
      if (first === undefined || first === position) this.operationEntries.set(operationId, position);
    }
    if (position !== this.ends[this.bucket]) return undefined;
    return this.complete();
  }

  /** Position of the first use among the buckets; a later use of a known id has no entry of its own. */
  private first(operationId: string): number | undefined {
    let first: number | undefined;
    for (const positions of this.operations.newestFirst(operationId)) first = positions[0];
    return first;
  }

  private complete(): string | undefined {
    const operations = [...this.operationEntries].map(([name, position]) => ({ name, position }));
    const good =
      this.same(this.streams, this.db.streams, this.streamEntries) &&
      this.same(this.operations, this.db.operations, operations);
    this.bucket += 1;
    this.streamEntries = [];
    this.operationEntries = new Map();
    return good ? undefined : `bucket ${this.bucket - 1} of an index does not match the log`;
  }

  private same(index: PackedIndex, db: Databases['streams'], entries: readonly IndexEntry[]): boolean {
    const packed = packEntries(entries);
    const filter = db.get(2 * this.bucket);
    return index.bucket(this.bucket).equals(packed) && filter?.equals(makeFilter(packed)) === true;
  }
}
