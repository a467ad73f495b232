/** The supervisor's own times and bounds, with the defaults of the chapter (07:83-86). Milliseconds. */
import type { Limits } from '../contract/limits.js';

export interface SupervisorSettings {
  readonly limits: Limits;
  /** The longest a package may take to be compared with its receipt. */
  readonly verifyMs: number;
  readonly readinessMs: number;
  /** Between two health checks of a running add-on. */
  readonly healthEveryMs: number;
  readonly healthTimeoutMs: number;
  /** An add-on that is serving calls may answer its health check this late. */
  readonly busyHealthTimeoutMs: number;
  /** Well for this long, an add-on has its whole budget of attempts again. */
  readonly sustainedMs: number;
  /** Between two looks at what a limited add-on uses. */
  readonly limitsEveryMs: number;
  /** Launches at a time, from their start until they are ready. */
  readonly launches: number;
  /** After this long a launch that is not yet ready gives its place to the next. */
  readonly launchPlaceMs: number;
}

export function defaultSettings(limits: Limits): SupervisorSettings {
  return {
    limits,
    verifyMs: 120_000,
    readinessMs: 30_000,
    healthEveryMs: 5_000,
    healthTimeoutMs: 5_000,
    busyHealthTimeoutMs: limits.applyTimeoutMs,
    sustainedMs: 2 * limits.backoffMaxMs,
    limitsEveryMs: 1_000,
    launches: 4,
    launchPlaceMs: 3_000,
  };
}
