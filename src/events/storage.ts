/**
 * What an adapter must store. The queue, revisions in flight, fencing and the hash chain are the same for every
 * adapter and stand in `batching-journal.ts`; an adapter only commits batches and reads what is durable.
 */
import type { Head, OperationClaim, SealedBody, Snapshot } from './journal.js';

export interface StoredRecord {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly bytes: Uint8Array;
}

/** Everything that becomes durable together, or not at all. */
export interface Batch {
  readonly records: readonly StoredRecord[];
  readonly head: Head;
  readonly claims: readonly OperationClaim[];
  readonly bodies: readonly SealedBody[];
  readonly erase: readonly string[];
}

export interface SpaceShortage {
  readonly path: string;
  readonly freeBytes: number;
  readonly neededBytes: number;
}

export interface Storage {
  head(): Head;
  /** Undefined when `bytes` more fit above the reserve. */
  shortage(bytes: number): SpaceShortage | undefined;
  /** Returns (or resolves) when the batch is on disk. Throws (or rejects) when that is not known. */
  commit(batch: Batch): void | Promise<void>;
  /** At most `limit` records from `from` on, in order. */
  slice(from: number, limit: number): readonly { position: number; bytes: Uint8Array }[];
  /** The same as text, for reading and decoding. */
  texts(from: number, limit: number): Iterable<{ readonly key: number; readonly value: string }>;
  bytes(position: number): Uint8Array | undefined;
  streamRevision(stream: string): number;
  /** Positions of a stream's events, oldest first. */
  streamPositions(stream: string): readonly number[];
  claim(operationId: string): OperationClaim | undefined;
  body(ref: string): { readonly salt: Uint8Array; readonly bytes: Uint8Array } | undefined;
  loadSnapshot(): Snapshot | undefined;
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  /** See `Journal.hold`. */
  hold(): () => void;
  close(): Promise<void>;
}
