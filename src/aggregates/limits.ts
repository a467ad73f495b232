/** The limits of one add-on: the last set counts, and it stays when the add-on is upgraded, removed or installed again. */
import { type AddonLimits, sameLimits } from '../contract/addon-limits.js';
import { type Either, right } from '../contract/fp.js';
import type { Refusal } from '../contract/refusal.js';
import type { LimitsEvent } from '../events/catalogue/limits.js';
import type { Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

export interface SetLimits {
  readonly type: 'set-limits';
  readonly limits: AddonLimits;
}

function evolve(_state: AddonLimits, event: Recorded<LimitsEvent>): AddonLimits {
  return event.payload;
}

function decide(state: AddonLimits, { limits }: SetLimits): Either<Refusal, readonly LimitsEvent[]> {
  return right(sameLimits(state, limits) ? [] : [{ type: 'AddonLimitsSet', payload: limits }]);
}

export const limitsDecider: Decider<AddonLimits, SetLimits, LimitsEvent> = { initial: {}, decide, evolve };
