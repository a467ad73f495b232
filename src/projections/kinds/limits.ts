/** The streams `limits-<addonId>`. */
import { limitsDecider, type SetLimits } from '../../aggregates/limits.js';
import type { AddonLimits } from '../../contract/addon-limits.js';
import type { LimitsEvent } from '../../events/catalogue/limits.js';
import type { StreamKind } from '../owner-state.js';

export const limitsKind: StreamKind<AddonLimits, SetLimits, LimitsEvent> = { name: 'limits', decider: limitsDecider };
