/** A ledger whose faults are refusals: a thrown error must not leave a process behind that nobody watches. */
import type { LaunchLedger } from '../commands/ports.js';
import { type Either, left } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';

async function attempt(step: () => Promise<Either<Refusal, void>>): Promise<Either<Refusal, void>> {
  try {
    return await step();
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault);
    return left(refuse('outcome_unknown', `The process ledger failed (${why}).`));
  }
}

export function guarded(ledger: LaunchLedger): LaunchLedger {
  return {
    pending: (addonId, launch) => attempt(() => ledger.pending(addonId, launch)),
    started: (addonId, launch) => attempt(() => ledger.started(addonId, launch)),
    ready: (addonId, incarnation) => attempt(() => ledger.ready(addonId, incarnation)),
    draining: (addonId, incarnation) => attempt(() => ledger.draining(addonId, incarnation)),
    exited: (addonId, incarnation, how) => attempt(() => ledger.exited(addonId, incarnation, how)),
    uncertain: (addonId, incarnation, reason) => attempt(() => ledger.uncertain(addonId, incarnation, reason)),
    attemptsSpent: (addonId, incarnation) => attempt(() => ledger.attemptsSpent(addonId, incarnation)),
    unfinished: () => ledger.unfinished(),
  };
}
