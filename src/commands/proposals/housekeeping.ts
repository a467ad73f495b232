/** What goes on without a caller: expiry and retention when they fall due, receipt lookups, open reservations. */
import { isKnown } from '../../aggregates/proposal.js';
import { isLeft } from '../../contract/fp.js';
import type { RecordedEvent } from '../../events/event.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { isOpen, settleReservations } from '../resources/reservations.js';
import { isLost } from './blocking.js';
import { type Desk, lookupWindowMs, millisOf } from './desk.js';
import { lookUp } from './lookup.js';
import { nextDue, sweep } from './sweep.js';

const ABANDONED_LOOKUPS_MS = 24 * 3_600_000;
const RESERVATIONS_MS = 30_000;
const RETRY_MS = 30_000;
const LONGEST_SLEEP_MS = 3_600_000;

export class Housekeeping {
  private closed = true;
  private sleepUntil: number | undefined;
  private wake = () => {};
  private passing = false;
  private passTimer: (() => void) | undefined;
  private readonly lookups = new Map<string, () => void>();
  /** Proposals a restart found unresolved whose add-on has not answered since: one lookup each is owed (10:213-214). */
  private readonly owed = new Set<string>();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly desk: Desk) {
    const { store, runtimes } = desk.context;
    store.journal.onDurable((records) => this.onRecords(records));
    runtimes.onChange((addonId) => this.onRuntime(addonId));
    desk.onUnrecorded.add((id) => this.watch(id));
    // Nothing can be recorded any more, so nobody is asked for what could not be kept.
    store.journal.onFenced(() => this.halt());
  }

  start(): void {
    if (this.desk.context.store.journal.fenced() !== undefined) return;
    this.closed = false;
    for (const id of this.desk.context.store.ahead.all(proposalKind).keys()) this.watch(id);
    this.arm();
    this.armReservations();
  }

  /** Stops the timers and waits for what they started. */
  async close(): Promise<void> {
    this.halt();
    await Promise.all(this.running);
  }

  private halt(): void {
    this.closed = true;
    this.wake();
    this.passTimer?.();
    for (const cancel of this.lookups.values()) cancel();
    this.lookups.clear();
  }

  /** A lookup that is owed once its add-on serves, whatever the window (10:213-214). */
  owe(id: string): void {
    this.owed.add(id);
  }

  private track(work: Promise<void>): void {
    const done = work.catch((error: unknown) => {
      this.desk.context.log.error({ err: error }, 'work on proposals failed');
    });
    this.running.add(done);
    void done.finally(() => this.running.delete(done));
  }

  private onRecords(records: readonly RecordedEvent[]): void {
    if (this.closed) return;
    let touched = false;
    for (const { stream, type } of records) {
      if (!stream.startsWith('proposal-') && !stream.startsWith('resource-')) continue;
      touched = true;
      if (type === 'OutcomeUnknown' || type === 'ProposalAbandoned') this.watch(stream.slice('proposal-'.length));
    }
    if (!touched) return;
    this.arm();
    this.armReservations();
  }

  private onRuntime(addonId: string): void {
    if (this.closed || this.desk.context.runtimes.observe(addonId).state !== 'running') return;
    for (const id of [...this.owed]) {
      const proposal = this.desk.context.store.ahead.get(proposalKind, id);
      if (!isKnown(proposal) || proposal.record.addonId !== addonId) continue;
      this.owed.delete(id);
      this.track(
        this.lookUpInTurn(id, addonId).then((found) => {
          if (found === 'unreachable') this.owed.add(id);
        }),
      );
    }
    this.passReservations();
  }

  private arm(): void {
    const due = nextDue(this.desk);
    if (this.closed || due === this.sleepUntil) return;
    this.wake();
    this.wake = () => {};
    this.sleepUntil = due;
    if (due !== undefined) this.sleep(due - millisOf(this.desk));
  }

  private sleep(ms: number): void {
    const delay = Math.min(Math.max(ms, 0), LONGEST_SLEEP_MS);
    this.wake = this.desk.context.clock.after(delay, () => this.track(this.sweepOnce()));
  }

  private async sweepOnce(): Promise<void> {
    const swept = await sweep(this.desk);
    this.sleepUntil = undefined;
    if (this.closed) return;
    if (isLeft(swept)) this.sleep(RETRY_MS);
    else this.arm();
  }

  /** Starts the lookups of an unresolved or abandoned proposal, unless they run already. */
  private watch(id: string): void {
    if (this.closed || this.lookups.has(id)) return;
    this.schedule(id, this.desk.context.limits.backoffInitialMs);
  }

  /** Until when lookups go on: a window after the hand-over, a day after giving up, without end for what is only unwritten. */
  private lookUntil(id: string): number | undefined {
    if (this.desk.unrecorded.has(id)) return Number.POSITIVE_INFINITY;
    const proposal = this.desk.context.store.ahead.get(proposalKind, id);
    if (proposal.state === 'abandoned-unknown') return Date.parse(proposal.resolution.at) + ABANDONED_LOOKUPS_MS;
    if (!isLost(this.desk, id, proposal) || !('startedAt' in proposal)) return undefined;
    return Date.parse(proposal.startedAt ?? '') + lookupWindowMs(this.desk);
  }

  private schedule(id: string, delay: number): void {
    const { clock, limits } = this.desk.context;
    const until = this.lookUntil(id);
    if (this.closed || until === undefined || millisOf(this.desk) + delay > until) {
      this.lookups.delete(id);
      return;
    }
    const task = async () => {
      const proposal = this.desk.context.store.ahead.get(proposalKind, id);
      try {
        if (isKnown(proposal)) await this.lookUpInTurn(id, proposal.record.addonId);
      } finally {
        // A fault of one lookup must not be the end of all of them.
        this.schedule(id, Math.min(delay * 2, limits.backoffMaxMs));
      }
    };
    this.lookups.set(
      id,
      clock.after(delay, () => this.track(task())),
    );
  }

  private async lookUpInTurn(id: string, addonId: string): Promise<'settled' | 'open' | 'unreachable'> {
    const turn = await this.desk.background.take(addonId);
    if (turn === undefined || this.closed) {
      turn?.();
      return 'unreachable';
    }
    try {
      return await lookUp(this.desk, id, 'automatic');
    } finally {
      turn();
    }
  }

  private armReservations(): void {
    if (this.closed || this.passing || this.passTimer !== undefined || !this.hasReservations()) return;
    this.passTimer = this.desk.context.clock.after(RESERVATIONS_MS, () => {
      this.passTimer = undefined;
      this.passReservations();
    });
  }

  private hasReservations(): boolean {
    const { ahead } = this.desk.context.store;
    return [...ahead.all(resourceKind).keys()].some((id) => isOpen(this.desk, id) || this.desk.creating.has(id));
  }

  private passReservations(): void {
    if (this.closed || this.passing || !this.hasReservations()) return;
    this.passing = true;
    const pass = settleReservations(this.desk).finally(() => {
      this.passing = false;
      this.armReservations();
    });
    this.track(pass.then(() => {}));
  }
}
