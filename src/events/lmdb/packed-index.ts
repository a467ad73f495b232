/**
 * An index from names (streams, operation ids) to positions, kept as sorted buckets. Inserting random names into a
 * B-tree dirties a page for each; a bucket of thousands is written once, in one piece, and a filter of two bytes a
 * name says which buckets can hold a name at all, so that a new name costs no read.
 */
import { createHash } from 'node:crypto';
import type { Database } from 'lmdb';

/** Twelve bytes of a SHA-256, then the position in four. */
const KEY_BYTES = 12;
const ENTRY_BYTES = KEY_BYTES + 4;
const FILTER_BITS_PER_ENTRY = 16;
const PROBES = 6;

export interface IndexEntry {
  readonly name: string;
  readonly position: number;
}

export function indexKey(name: string): Buffer {
  return createHash('sha256').update(name).digest().subarray(0, KEY_BYTES);
}

/** Entries in the order of key, then position. */
export function packEntries(entries: readonly IndexEntry[]): Buffer {
  const packed = entries.map(({ name, position }) => {
    const entry = Buffer.allocUnsafe(ENTRY_BYTES);
    indexKey(name).copy(entry);
    entry.writeUInt32BE(position, KEY_BYTES);
    return entry;
  });
  return Buffer.concat(packed.sort(Buffer.compare));
}

export function makeFilter(packed: Buffer): Buffer {
  const bits = Math.max(64, (packed.length / ENTRY_BYTES) * FILTER_BITS_PER_ENTRY);
  const filter = Buffer.alloc(2 ** Math.ceil(Math.log2(bits)) / 8);
  for (let at = 0; at < packed.length; at += ENTRY_BYTES)
    eachBit(packed.subarray(at, at + KEY_BYTES), filter, (byte, mask) => {
      filter[byte] = (filter[byte] ?? 0) | mask;
      return true;
    });
  return filter;
}

function mayHold(filter: Buffer, key: Buffer): boolean {
  return eachBit(key, filter, (byte, mask) => ((filter[byte] ?? 0) & mask) !== 0);
}

function eachBit(key: Buffer, filter: Buffer, visit: (byte: number, mask: number) => boolean): boolean {
  const step = key.readUInt32LE(4) | 1;
  const last = filter.length * 8 - 1;
  let hash = key.readUInt32LE(0);
  for (let probe = 0; probe < PROBES; probe += 1) {
    const bit = hash & last;
    if (!visit(bit >>> 3, 1 << (bit & 7))) return false;
    hash = (hash + step) | 0;
  }
  return true;
}

/** Positions of a key in a packed bucket, ascending. */
export function findPacked(packed: Buffer, key: Buffer): number[] {
  let low = 0;
  let high = packed.length / ENTRY_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = middle * ENTRY_BYTES;
    if (packed.compare(key, 0, KEY_BYTES, at, at + KEY_BYTES) < 0) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let at = low * ENTRY_BYTES; at < packed.length; at += ENTRY_BYTES) {
    if (packed.compare(key, 0, KEY_BYTES, at, at + KEY_BYTES) !== 0) break;
    found.push(packed.readUInt32BE(at + KEY_BYTES));
  }
  return found;
}

/** Even keys hold filters, odd keys the bucket behind them; buckets are numbered from 0 in order of position. */
export class PackedIndex {
  private readonly filters: Buffer[] = [];

  constructor(private readonly db: Database<Buffer, number>) {
    for (let bucket = 0; ; bucket += 1) {
      const filter = db.get(2 * bucket);
      if (filter === undefined) break;
      this.filters.push(filter);
    }
  }

  get buckets(): number {
    return this.filters.length;
  }

  /** Writes one bucket; call it inside a transaction, and `added` with what it returned once that is durable. */
  write(entries: readonly IndexEntry[]): Buffer {
    const packed = packEntries(entries);
    const filter = makeFilter(packed);
    const bucket = 2 * this.filters.length;
    if (
      (this.db.putSync(bucket, filter) as unknown) !== true ||
      (this.db.putSync(bucket + 1, packed) as unknown) !== true
    )
      throw new Error('the storage refused to add to an index');
    return filter;
  }

  added(filter: Buffer): void {
    this.filters.push(filter);
  }

  bucket(number: number): Buffer {
    const packed = this.db.get(2 * number + 1);
    if (packed === undefined) throw new Error(`bucket ${number} of an index is missing`);
    return packed;
  }

  /** How many entries a bucket has. */
  entries(number: number): number {
    return this.bucket(number).length / ENTRY_BYTES;
  }

  /** Positions of a name by bucket, the newest bucket first, each ascending. */
  *newestFirst(name: string): Iterable<readonly number[]> {
    if (this.filters.length === 0) return;
    const key = indexKey(name);
    for (let bucket = this.filters.length - 1; bucket >= 0; bucket -= 1) {
      const filter = this.filters[bucket];
      if (filter === undefined || !mayHold(filter, key)) continue;
      const found = findPacked(this.bucket(bucket), key);
      if (found.length > 0) yield found;
    }
  }
}
