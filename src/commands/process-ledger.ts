/** The ledger of launches on the journal: every step resolves only when its event is on disk (07:33-45). */

import type { ProcessCommand } from '../aggregates/process.js';
import { unfinished } from '../aggregates/process.js';
import { type Either, isLeft } from '../contract/fp.js';
import type { Refusal } from '../contract/refusal.js';
import { processKind } from '../projections/kinds/process.js';
import type { LaunchLedger, RecordedLaunch } from './ports.js';
import type { Store } from './store.js';

/** A reason may quote a path or a system error; what the event keeps of it has an end. */
const bounded = (reason: string): string => (reason.length <= 500 ? reason : `${reason.slice(0, 499)}\u2026`);

export class ProcessLedger implements LaunchLedger {
  constructor(private readonly store: Store) {}

  pending(addonId: string, launch: Parameters<LaunchLedger['pending']>[1]): Promise<Either<Refusal, void>> {
    return this.record(addonId, { type: 'launch', ...launch });
  }

  started(addonId: string, launch: Parameters<LaunchLedger['started']>[1]): Promise<Either<Refusal, void>> {
    return this.record(addonId, { type: 'started', ...launch });
  }

  ready(addonId: string, incarnation: string): Promise<Either<Refusal, void>> {
    return this.record(addonId, { type: 'ready', incarnation });
  }

  draining(addonId: string, incarnation: string): Promise<Either<Refusal, void>> {
    return this.record(addonId, { type: 'drain', incarnation });
  }

  exited(
    addonId: string,
    incarnation: string,
    how: Parameters<LaunchLedger['exited']>[2],
  ): Promise<Either<Refusal, void>> {
    return this.record(addonId, { type: 'exited', incarnation, ...how, reason: bounded(how.reason) });
  }

  uncertain(addonId: string, incarnation: string, reason: string): Promise<Either<Refusal, void>> {
    return this.record(addonId, { type: 'uncertain', incarnation, reason: bounded(reason) });
  }

  attemptsSpent(addonId: string, incarnation: string): Promise<Either<Refusal, void>> {
    return this.record(addonId, { type: 'attempts-spent', incarnation });
  }

  unfinished(): readonly RecordedLaunch[] {
    return [...this.store.visible.all(processKind)].flatMap(([addonId, state]) => {
      const launch = unfinished(state);
      if (launch === undefined) return [];
      const { phase, ...rest } = launch;
      return [{ addonId, state: phase, ...rest }];
    });
  }

  /** Decides and appends in one synchronous step; a step that changes nothing waits for what is already in flight. */
  private async record(addonId: string, command: ProcessCommand): Promise<Either<Refusal, void>> {
    const change = this.store.decide(processKind, addonId, command);
    return isLeft(change) ? change : this.store.commit({ changes: [change.right] });
  }
}
