/**
 * The journal port: one totally ordered, append-only log per owner root, and what stands in the same transaction.
 * Every adapter passes the contract suite in `test/support/journal-contract.ts`.
 */
import type { Either } from '../contract/fp.js';
import type { EventMeta, JournalRecord, NewEvent, RecordedEvent } from './event.js';

export interface StreamWrite {
  readonly stream: string;
  /** Revision of the stream's last event that the decision saw, in-flight ones included; 0 for a new stream. */
  readonly expectedRevision: number;
  readonly events: readonly NewEvent[];
}

export interface AppendRequest {
  /** Streams written together, all or none. */
  readonly writes: readonly StreamWrite[];
  readonly meta: EventMeta;
  /** Bodies stored beside the log in the same transaction, under the reference `bodyRef` computed. */
  readonly bodies?: readonly SealedBody[];
  /** References whose body and salt are erased in the same transaction. */
  readonly erase?: readonly string[];
}

/** Large or sensitive bytes kept out of the log, addressed by SHA-256 over a random 32-byte salt and the bytes. */
export interface SealedBody {
  /** `sha256:` + 64 hex. */
  readonly ref: string;
  readonly salt: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Why nothing was enqueued: the caller may go on (`conflict`), wait for space (`full`), or must stop (`fenced`). */
export type AppendRefusal =
  | { readonly kind: 'conflict'; readonly stream: string; readonly expected: number; readonly actual: number }
  | { readonly kind: 'invalid'; readonly type: string; readonly reason: string }
  | { readonly kind: 'full'; readonly path: string; readonly freeBytes: number; readonly neededBytes: number }
  | { readonly kind: 'fenced'; readonly reason: string };

/** Why an enqueued append is not known to be durable; the journal is fenced from then on. */
export interface AppendFailure {
  readonly kind: 'fenced';
  readonly reason: string;
}

export interface InFlight {
  /** In order, with final positions; part of decisions from now on, of answers only when `durable` resolved. */
  readonly records: readonly RecordedEvent[];
  /** Resolves once the commit is on disk and every `onDurable` listener has run. Never rejects. */
  readonly durable: Promise<Either<AppendFailure, void>>;
}

export interface Head {
  /** 0 for an empty journal. */
  readonly position: number;
  readonly hash: string;
}

export interface Snapshot extends Head {
  /** Version of the state's own format; a snapshot of another version is ignored and rebuilt. */
  readonly format: number;
  readonly state: Uint8Array;
}

/** Where an operation id was first used; the registry of ids lives on disk, not in memory. */
export interface OperationClaim {
  readonly operationId: string;
  readonly position: number;
  readonly stream: string;
}

export interface Journal {
  /** The last durable position and hash. */
  head(): Head;
  /** Validates, checks revisions against in-flight state, assigns positions, and joins the next commit. Synchronous. */
  append(request: AppendRequest): Either<AppendRefusal, InFlight>;
  /** Resolves when everything enqueued so far is durable (right) or the journal is fenced (left). */
  barrier(): Promise<Either<AppendFailure, void>>;
  /** Called in position order with each durable batch, before its `durable` promises resolve. */
  onDurable(listener: (records: readonly RecordedEvent[]) => void): void;
  /** Called once when a commit failed or the chain was found damaged. */
  onFenced(listener: (reason: string) => void): void;
  /** Fences from outside, as the verifying child's finding does. */
  fence(reason: string): void;
  fenced(): string | undefined;
  /** Revision of the stream's last event, in-flight ones included; 0 when it has none. */
  streamRevision(stream: string): number;
  /** Durable records from `from` on, in slices of at most `limit`, decoded and upcast. */
  read(options: { readonly from: number; readonly limit?: number }): Iterable<readonly RecordedEvent[]>;
  /** Durable records as they were written: bytes of canonical JSON. */
  readRaw(options: {
    readonly from: number;
    readonly limit?: number;
  }): Iterable<readonly { position: number; bytes: Uint8Array }[]>;
  /** The durable events of one stream, oldest first. */
  readStream(stream: string): readonly RecordedEvent[];
  record(position: number): JournalRecord | undefined;
  /** The first use of an operation id, in-flight ones included. */
  operation(operationId: string): OperationClaim | undefined;
  /** The bytes of a body; undefined when it was erased, never stored, or is damaged, which also fences. */
  body(ref: string): Uint8Array | undefined;
  loadSnapshot(): Snapshot | undefined;
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  /**
   * Keeps what is stored now readable for another process until the answer is called; calling it twice is harmless. The
   * storage grows meanwhile, so it is not for long.
   */
  hold(): () => void;
  close(): Promise<void>;
}
