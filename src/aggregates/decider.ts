/** The contract every aggregate satisfies, and nothing wider: pure, total, no clock, no randomness, no I/O. */
import type { Either } from '../contract/fp.js';
import type { Refusal } from '../contract/refusal.js';
import type { Recorded } from '../events/event.js';

/** Methods, not function properties, so that kinds of different states fit one list (`projections/kinds.ts`). */
export interface Decider<State, Command, Event> {
  /** The state of a stream that has no event yet. */
  readonly initial: State;
  /** What follows from a command: events to append (none = nothing to do), or a refusal. */
  decide(state: State, command: Command): Either<Refusal, readonly Event[]>;
  /** The state after an event that happened; never refuses, never throws for an event its own `decide` returned. */
  evolve(state: State, event: Recorded<Event>): State;
}
