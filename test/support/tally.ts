/** A small kind of stream for tests of the store: adds up amounts, refuses to go below zero, leaves memory at zero. */
import type { Decider } from '../../src/aggregates/decider.js';
import { left, right } from '../../src/contract/fp.js';
import { refuse } from '../../src/contract/refusal.js';
import type { StreamKind } from '../../src/projections/owner-state.js';

export type Counted = {
  readonly type: 'Counted';
  readonly payload: { readonly amount: number; readonly unit: string };
};

export interface Tally {
  readonly total: number;
  readonly events: number;
}

const decider: Decider<Tally, number, Counted> = {
  initial: { total: 0, events: 0 },
  decide: (state, amount) => {
    if (state.total + amount < 0) return left(refuse('invalid_request', 'There is not that much.'));
    return right(amount === 0 ? [] : [{ type: 'Counted', payload: { amount, unit: 'kg' } }]);
  },
  evolve: (state, event) => {
    if (event.payload.unit === 'broken') throw new Error('this event cannot be applied');
    return { total: state.total + event.payload.amount, events: state.events + 1 };
  },
};

export const tallyKind: StreamKind<Tally, number, Counted> = {
  name: 'tally',
  decider,
  gone: (state) => state.total === 0,
};
