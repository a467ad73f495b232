/** The journal in memory: the whole port, byte for byte, without a disk. For tests and for tools that fold an export. */
import { BatchingJournal, type JournalOptions } from './batching-journal.js';
import type { Head, OperationClaim, Snapshot } from './journal.js';
import { ZERO_HASH } from './sha256.js';
import type { Batch, SpaceShortage, Storage } from './storage.js';

/** An empty journal that lives as long as the object. */
export function memoryJournal(options: JournalOptions = {}): BatchingJournal {
  return new BatchingJournal(new MemoryStorage(), options);
}

export class MemoryStorage implements Storage {
  private readonly log: Uint8Array[] = [];
  private readonly streams = new Map<string, number[]>();
  private readonly claims = new Map<string, OperationClaim>();
  private readonly bodies = new Map<string, { readonly salt: Uint8Array; readonly bytes: Uint8Array }>();
  private snapshot: Snapshot | undefined;
  private last: Head = { position: 0, hash: ZERO_HASH };

  head(): Head {
    return this.last;
  }

  shortage(_bytes: number): SpaceShortage | undefined {
    return undefined;
  }

  commit(batch: Batch): void | Promise<void> {
    for (const { position, stream, bytes } of batch.records) {
      this.log.push(bytes);
      const positions = this.streams.get(stream);
      if (positions === undefined) this.streams.set(stream, [position]);
      else positions.push(position);
    }
    for (const claim of batch.claims) this.claims.set(claim.operationId, claim);
    for (const { ref, salt, bytes } of batch.bodies) this.bodies.set(ref, { salt, bytes });
    for (const ref of batch.erase) this.bodies.delete(ref);
    this.last = batch.head;
  }

  slice(from: number, limit: number): readonly { position: number; bytes: Uint8Array }[] {
    return this.log.slice(from - 1, from - 1 + limit).map((bytes, index) => ({ position: from + index, bytes }));
  }

  *texts(from: number, limit: number): Iterable<{ readonly key: number; readonly value: string }> {
    for (const { position, bytes } of this.slice(from, limit))
      yield { key: position, value: Buffer.from(bytes).toString('utf8') };
  }

  bytes(position: number): Uint8Array | undefined {
    return this.log[position - 1];
  }

  streamRevision(stream: string): number {
    return this.streams.get(stream)?.length ?? 0;
  }

  streamPositions(stream: string): readonly number[] {
    return [...(this.streams.get(stream) ?? [])];
  }

  claim(operationId: string): OperationClaim | undefined {
    return this.claims.get(operationId);
  }

  body(ref: string): { readonly salt: Uint8Array; readonly bytes: Uint8Array } | undefined {
    return this.bodies.get(ref);
  }

  loadSnapshot(): Snapshot | undefined {
    return this.snapshot;
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.snapshot = snapshot;
  }

  hold(): () => void {
    return () => {};
  }

  async close(): Promise<void> {}
}
