/**
 * The journal port over any storage: one queue, one commit for everything that waits, durable before visible, and a
 * fence after the first failure. Positions, revisions and hashes are assigned at the append, since nothing that was
 * enqueued can be dropped without fencing everything behind it.
 */
import { randomUUID } from 'node:crypto';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { CATALOGUE } from './catalogue/index.js';
import {
  type Catalogue,
  decodeRecord,
  type EncodedEvent,
  encodeEvent,
  type MetaText,
  metaText,
  parseRecord,
  recordText,
} from './codec.js';
import type { JournalRecord, RecordedEvent } from './event.js';
import type {
  AppendFailure,
  AppendRefusal,
  AppendRequest,
  Head,
  InFlight,
  Journal,
  OperationClaim,
  SealedBody,
  Snapshot,
} from './journal.js';
import { bodyRef } from './sealed-body.js';
import { ZERO_HASH } from './sha256.js';
import type { Storage, StoredRecord } from './storage.js';

export interface JournalOptions {
  /** The event types this journal accepts; every type of the product unless a test says otherwise. */
  readonly catalogue?: Catalogue;
  /** Ids of events; random UUIDs unless injected. Printable ASCII without quotes. */
  readonly newId?: () => string;
}

/** Longer slices survive into the old generation of the heap, and a replay then spends half its time on that. */
const DEFAULT_SLICE = 500;
/** Printable ASCII without the quote and the backslash, so that it stands in a record as it is. */
const STREAM_NAME = /^[ !#-[\]-~]{1,512}$/;

/** What an append will write, made before anything is assigned. */
interface Checked {
  readonly events: EncodedEvent[][];
  readonly meta: MetaText;
  /** Estimated bytes. */
  readonly size: number;
}

type Outcome = Either<AppendFailure, void>;

/** One commit in the making, and the one promise all its callers wait for. */
class Waiting {
  readonly stored: StoredRecord[] = [];
  readonly records: RecordedEvent[] = [];
  readonly claims: OperationClaim[] = [];
  readonly bodies: SealedBody[] = [];
  readonly erase: string[] = [];
  settle!: (outcome: Outcome) => void;
  readonly durable = new Promise<Outcome>((resolve) => {
    this.settle = resolve;
  });
}

export class BatchingJournal implements Journal {
  private readonly catalogue: Catalogue;
  private readonly newId: () => string;
  private readonly durableListeners: ((records: readonly RecordedEvent[]) => void)[] = [];
  private readonly fencedListeners: ((reason: string) => void)[] = [];
  private readonly aheadRevisions = new Map<string, number>();
  private readonly aheadClaims = new Map<string, OperationClaim>();
  private ahead: Head;
  private waiting: Waiting | undefined;
  private committing: Waiting | undefined;
  private fenceReason: string | undefined;
  private closed = false;
  private readonly holds = new Set<() => void>();

  constructor(
    private readonly storage: Storage,
    options: JournalOptions = {},
  ) {
    this.catalogue = options.catalogue ?? CATALOGUE;
    this.newId = options.newId ?? randomUUID;
    this.ahead = storage.head();
  }

  head(): Head {
    return this.storage.head();
  }

  append(request: AppendRequest): Either<AppendRefusal, InFlight> {
    if (this.fenceReason !== undefined) return left({ kind: 'fenced', reason: this.fenceReason });
    if (this.closed) return left({ kind: 'fenced', reason: 'the journal is closed' });
    const checked = this.check(request);
    if (isLeft(checked)) return checked;
    const shortage = this.storage.shortage(checked.right.size);
    if (shortage !== undefined) return left({ kind: 'full', ...shortage });
    const waiting = this.join();
    const records = this.place(request, checked.right.events, checked.right.meta, waiting);
    waiting.bodies.push(...(request.bodies ?? []));
    waiting.erase.push(...(request.erase ?? []));
    return right({ records, durable: waiting.durable });
  }

  /** Everything that can be refused, before anything is assigned. */
  private check(request: AppendRequest): Either<AppendRefusal, Checked> {
    let meta: MetaText;
    try {
      meta = metaText(request.meta);
    } catch (error) {
      return left({ kind: 'invalid', type: 'meta', reason: failure(error) });
    }
    const seen = new Map<string, number>();
    const events: EncodedEvent[][] = [];
    let size = 0;
    for (const { stream, expectedRevision, events: decided } of request.writes) {
      if (!STREAM_NAME.test(stream)) return left({ kind: 'invalid', type: 'stream', reason: 'not a name of a stream' });
      const actual = seen.get(stream) ?? this.streamRevision(stream);
      if (actual !== expectedRevision) return left({ kind: 'conflict', stream, expected: expectedRevision, actual });
      seen.set(stream, actual + decided.length);
      const encoded: EncodedEvent[] = [];
      for (const event of decided) {
        const result = encodeEvent(this.catalogue, event);
        if (isLeft(result)) return left({ kind: 'invalid', type: event.type, reason: result.left });
        encoded.push(result.right);
        size += result.right.payloadText.length + 512;
      }
      events.push(encoded);
    }
    for (const body of request.bodies ?? []) {
      if (bodyRef(body.salt, body.bytes) !== body.ref)
        return left({ kind: 'invalid', type: 'body', reason: 'the reference is not the digest of salt and bytes' });
      size += body.bytes.length + 256;
    }
    return right({ events, meta, size });
  }

  private place(
    request: AppendRequest,
    events: readonly EncodedEvent[][],
    text: MetaText,
    waiting: Waiting,
  ): RecordedEvent[] {
    const { meta } = request;
    const placed: RecordedEvent[] = [];
    request.writes.forEach(({ stream, expectedRevision }, index) => {
      let revision = expectedRevision;
      for (const event of events[index] ?? []) {
        revision += 1;
        const position = this.ahead.position + 1;
        const id = this.newId();
        const made = recordText(event, text, { position, id, stream, revision, prev: this.ahead.hash });
        this.ahead = { position, hash: made.hash };
        waiting.stored.push({ position, stream, revision, bytes: Buffer.from(made.text, 'utf8') });
        placed.push({ position, id, type: event.type, stream, revision, ...meta, payload: event.payload });
      }
      if (revision > expectedRevision) this.aheadRevisions.set(stream, revision);
    });
    const first = placed[0];
    if (meta.operationId !== undefined && first !== undefined && this.operation(meta.operationId) === undefined) {
      const claim = { operationId: meta.operationId, position: first.position, stream: first.stream };
      this.aheadClaims.set(claim.operationId, claim);
      waiting.claims.push(claim);
    }
    waiting.records.push(...placed);
    return placed;
  }

  private join(): Waiting {
    if (this.waiting === undefined) {
      this.waiting = new Waiting();
      if (this.committing === undefined) setImmediate(() => this.flush());
    }
    return this.waiting;
  }

  private flush(): void {
    const batch = this.waiting;
    if (batch === undefined || this.committing !== undefined) return;
    this.committing = batch;
    this.waiting = undefined;
    try {
      const pending = this.storage.commit({
        records: batch.stored,
        // The queue was taken whole, so the head in flight is the head of this batch.
        head: this.ahead,
        claims: batch.claims,
        bodies: batch.bodies,
        erase: batch.erase,
      });
      if (pending === undefined) this.committed(batch);
      else
        pending.then(
          () => this.committed(batch),
          (error: unknown) => this.fence(failure(error)),
        );
    } catch (error) {
      this.fence(failure(error));
    }
  }

  private committed(batch: Waiting): void {
    if (this.fenceReason !== undefined) return;
    this.forget(batch);
    try {
      if (batch.records.length > 0) for (const listener of this.durableListeners) listener(batch.records);
    } catch (error) {
      this.fence(`what was recorded could not be shown: ${failure(error)}`);
      return;
    }
    this.committing = undefined;
    batch.settle(right(undefined));
    if (this.waiting !== undefined) setImmediate(() => this.flush());
  }

  /** What is durable is asked of the storage from now on, so what is remembered stays as small as what is in flight. */
  private forget(batch: Waiting): void {
    for (const { stream, revision } of batch.stored)
      if (this.aheadRevisions.get(stream) === revision) this.aheadRevisions.delete(stream);
    for (const { operationId } of batch.claims) this.aheadClaims.delete(operationId);
  }

  async barrier(): Promise<Outcome> {
    if (this.fenceReason !== undefined) return left({ kind: 'fenced', reason: this.fenceReason });
    const last = this.waiting ?? this.committing;
    return last === undefined ? right(undefined) : last.durable;
  }

  onDurable(listener: (records: readonly RecordedEvent[]) => void): void {
    this.durableListeners.push(listener);
  }

  onFenced(listener: (reason: string) => void): void {
    this.fencedListeners.push(listener);
  }

  fence(reason: string): void {
    if (this.fenceReason !== undefined) return;
    this.fenceReason = reason;
    const outcome = left<AppendFailure>({ kind: 'fenced', reason });
    this.committing?.settle(outcome);
    this.waiting?.settle(outcome);
    this.committing = undefined;
    this.waiting = undefined;
    for (const listener of this.fencedListeners) listener(reason);
  }

  fenced(): string | undefined {
    return this.fenceReason;
  }

  streamRevision(stream: string): number {
    return this.aheadRevisions.get(stream) ?? this.storage.streamRevision(stream);
  }

  *read(options: { readonly from: number; readonly limit?: number }): Iterable<readonly RecordedEvent[]> {
    for (const { from, limit } of this.slices(options)) {
      const slice: RecordedEvent[] = [];
      for (const { key, value } of this.storage.texts(from, limit))
        slice.push(decodeRecord(this.catalogue, parseRecord(key, value)));
      yield slice;
    }
  }

  *readRaw(options: {
    readonly from: number;
    readonly limit?: number;
  }): Iterable<readonly { position: number; bytes: Uint8Array }[]> {
    for (const { from, limit } of this.slices(options)) yield this.storage.slice(from, limit);
  }

  /** Where each slice begins and how long it is, up to the head of now. */
  private *slices(options: { readonly from: number; readonly limit?: number }) {
    const limit = Math.max(1, options.limit ?? DEFAULT_SLICE);
    const last = this.storage.head().position;
    for (let from = Math.max(1, options.from); from <= last; from += limit)
      yield { from, limit: Math.min(limit, last - from + 1) };
  }

  readStream(stream: string): readonly RecordedEvent[] {
    return this.storage.streamPositions(stream).map((position) => {
      const record = this.record(position);
      if (record === undefined) throw new Error(`record ${position} of stream ${stream} is missing`);
      return decodeRecord(this.catalogue, record);
    });
  }

  record(position: number): JournalRecord | undefined {
    const bytes = this.storage.bytes(position);
    return bytes === undefined ? undefined : parseRecord(position, bytes);
  }

  operation(operationId: string): OperationClaim | undefined {
    return this.aheadClaims.get(operationId) ?? this.storage.claim(operationId);
  }

  body(ref: string): Uint8Array | undefined {
    const found = this.storage.body(ref);
    if (found === undefined) return undefined;
    if (bodyRef(found.salt, found.bytes) === ref) return found.bytes;
    // The fence stops every change; what does not need this body can still be read.
    this.fence(`the body ${ref} is damaged`);
    return undefined;
  }

  /** A snapshot that does not stand on a record of this log is not one of this log. */
  loadSnapshot(): Snapshot | undefined {
    const snapshot = this.storage.loadSnapshot();
    if (snapshot === undefined) return undefined;
    if (snapshot.position === 0) return snapshot.hash === ZERO_HASH ? snapshot : undefined;
    return this.record(snapshot.position)?.hash === snapshot.hash ? snapshot : undefined;
  }

  saveSnapshot(snapshot: Snapshot): Promise<void> {
    return this.storage.saveSnapshot(snapshot);
  }

  hold(): () => void {
    if (this.closed) return () => {};
    const release = this.storage.hold();
    this.holds.add(release);
    return () => {
      if (this.holds.delete(release)) release();
    };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.barrier();
    for (const release of this.holds) release();
    this.holds.clear();
    await this.storage.close();
  }
}

function failure(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
