/**
 * Where decisions meet the journal. `ahead` holds every decided event and is what decisions read; `visible` holds
 * only durable ones and is what answers read. A decision and its append happen in one synchronous step, so two
 * commands never decide on the same state; their commits are shared by the journal.
 */
import { type Either, isLeft, left, right } from '../contract/fp.js';
import type { JsonObject } from '../contract/json.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { EventMeta, NewEvent, RecordedEvent } from '../events/event.js';
import type { AppendRefusal, Journal, SealedBody, StreamWrite } from '../events/journal.js';
import { type AnyStreamKind, OwnerState, type StreamKind, streamName } from '../projections/owner-state.js';
import type { Clock } from './ports.js';

/** Raise when the state of any stream kind changes its shape: older snapshots are then ignored and rebuilt. */
export const SNAPSHOT_FORMAT = 2;
const SNAPSHOT_EVERY = 10_000;
const REPLAY_SLICE = 500;

export interface Change {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  /** The revision of the stream that the decision saw; a commit that comes after another event is a fault of ours. */
  readonly seen?: number;
}

export interface Decision {
  readonly changes: readonly Change[];
  readonly bodies?: readonly SealedBody[];
  readonly erase?: readonly string[];
}

export class Store {
  private snapshotting: Promise<void> | undefined;

  private constructor(
    readonly journal: Journal,
    private readonly clock: Clock,
    /** Includes what is in flight: for decisions only. */
    readonly ahead: OwnerState,
    /** Durable facts only: for answers, projections and effects. */
    readonly visible: OwnerState,
    /** Events that a start would have to replay; those of earlier runs count, or short runs would never save one. */
    private since: number,
  ) {
    journal.onDurable((records) => {
      for (const record of records) visible.apply(record);
      this.since += records.length;
      if (this.since >= SNAPSHOT_EVERY) setImmediate(() => void this.snapshot());
    });
  }

  /** Rebuilds the state from the snapshot and the tail behind it, in slices that let the event loop breathe. */
  static async open(journal: Journal, clock: Clock, kinds: readonly AnyStreamKind[]): Promise<Store> {
    const { state, position } = restored(journal, kinds);
    for (const slice of journal.read({ from: position + 1, limit: REPLAY_SLICE })) {
      for (const event of slice) state.apply(event);
      await new Promise((resume) => setImmediate(resume));
    }
    return new Store(journal, clock, state, state.clone(), journal.head().position - position);
  }

  /** What a stream kind decides about a command, on the state ahead; undefined changes when there is nothing to do. */
  decide<S, C, E extends NewEvent>(kind: StreamKind<S, C, E>, id: string, command: C): Either<Refusal, Change> {
    const decided = kind.decider.decide(this.ahead.get(kind, id), command);
    if (isLeft(decided)) return decided;
    const stream = streamName(kind, id);
    return right({ stream, events: decided.right, seen: this.journal.streamRevision(stream) });
  }

  /**
   * Appends a decision and resolves when it is on disk and visible. Call it in the same synchronous step as the
   * `decide` it stands on. Refuses with `insufficient_storage` or `fenced` (nothing happened) or `outcome_unknown`
   * (the commit failed; the owner is fenced).
   */
  async commit(decision: Decision, meta: Omit<EventMeta, 'at'> = {}): Promise<Either<Refusal, void>> {
    const writes = this.expecting(decision.changes.filter((change) => change.events.length > 0));
    if (writes.length === 0 && (decision.erase ?? []).length === 0) return this.settled(meta.operationId);
    const appended = this.journal.append({
      writes,
      meta: { at: this.clock.now().toISOString(), ...meta },
      ...(decision.bodies === undefined ? {} : { bodies: decision.bodies }),
      ...(decision.erase === undefined ? {} : { erase: decision.erase }),
    });
    if (isLeft(appended)) return left(refusalOf(appended.left));
    this.foresee(appended.right.records);
    const durable = await appended.right.durable;
    return isLeft(durable) ? left(unknownOutcome(meta.operationId)) : right(undefined);
  }

  /** The revision each write stands on; a second write of a stream stands on the first. */
  private expecting(changes: readonly Change[]): StreamWrite[] {
    const revisions = new Map<string, number>();
    return changes.map(({ stream, events, seen }) => {
      const expectedRevision = revisions.get(stream) ?? seen ?? this.journal.streamRevision(stream);
      revisions.set(stream, expectedRevision + events.length);
      return { stream, events, expectedRevision };
    });
  }

  /** An event that cannot be applied would leave every later decision on a wrong state. */
  private foresee(records: readonly RecordedEvent[]): void {
    try {
      for (const record of records) this.ahead.apply(record);
    } catch (error) {
      this.journal.fence(`a decided event could not be applied: ${String(error)}`);
      throw error;
    }
  }

  /** Resolves when every decision so far is durable: the step between reading `ahead` and answering from it. */
  async settled(operationId?: string): Promise<Either<Refusal, void>> {
    const durable = await this.journal.barrier();
    return isLeft(durable) ? left(unknownOutcome(operationId)) : right(undefined);
  }

  /** Writes a snapshot of the durable state, one at a time; an optimisation that may be lost at any time. */
  snapshot(): Promise<void> {
    this.snapshotting ??= this.save().finally(() => {
      this.snapshotting = undefined;
    });
    return this.snapshotting;
  }

  private async save(): Promise<void> {
    this.since = 0;
    if (this.journal.fenced() !== undefined) return;
    const { position, hash } = this.journal.head();
    try {
      const state = new TextEncoder().encode(JSON.stringify(this.visible));
      await this.journal.saveSnapshot({ position, hash, format: SNAPSHOT_FORMAT, state });
    } catch {
      // The next start replays more; nothing is lost.
    }
  }
}

/** The state of the snapshot and its position, or an empty state at 0 where there is none that this build can use. */
function restored(journal: Journal, kinds: readonly AnyStreamKind[]): { state: OwnerState; position: number } {
  const snapshot = journal.loadSnapshot();
  if (snapshot === undefined || snapshot.format !== SNAPSHOT_FORMAT)
    return { state: new OwnerState(kinds), position: 0 };
  try {
    const state = new OwnerState(kinds);
    state.restore(JSON.parse(new TextDecoder().decode(snapshot.state)) as JsonObject);
    return { state, position: snapshot.position };
  } catch {
    return { state: new OwnerState(kinds), position: 0 };
  }
}

function refusalOf(failure: AppendRefusal): Refusal {
  switch (failure.kind) {
    case 'full':
      return refuse(
        'insufficient_storage',
        `The disk is almost full: ${failure.freeBytes} bytes are free and ${failure.neededBytes} are needed. Nothing changed. Free some space and repeat the call.`,
      );
    case 'fenced':
      return refuse(
        'fenced',
        'The journal stopped taking events after a storage fault. Nothing changed. An operator must restart the server.',
      );
    case 'conflict':
    case 'invalid':
      throw new Error(`append refused: ${JSON.stringify(failure)}`);
  }
}

function unknownOutcome(operationId: string | undefined): Refusal {
  return refuse(
    'outcome_unknown',
    'The storage failed while this was being recorded, so it may or may not have happened. Look the operation up after the server was restarted.',
    operationId === undefined ? undefined : { operationId },
  );
}
