/** Finite implementation defaults (05, "Finite implementation defaults"; wire.md, "Add-on process"). Sizes in bytes, times in ms. */
import { type Either, left, right } from './fp.js';

export interface Limits {
  readonly manifestBytes: number;
  readonly envelopeBytes: number;
  readonly payloadBytes: number;
  readonly readTimeoutMs: number;
  readonly previewTimeoutMs: number;
  readonly applyTimeoutMs: number;
  readonly actTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  readonly backoffInitialMs: number;
  readonly backoffMaxMs: number;
  readonly attempts: number;
  readonly batchSize: number;
  readonly queryDepth: number;
  readonly queryRows: number;
  readonly queryResultBytes: number;
  readonly proposalExpiryMs: number;
  readonly artifactExpiryMs: number;
  readonly artifactBytes: number;
  readonly artifactQuotaBytes: number;
  readonly artifactCount: number;
  readonly concurrency: number;
}

export const DEFAULT_LIMITS: Limits = {
  manifestBytes: 65_536,
  envelopeBytes: 2_097_152,
  payloadBytes: 1_048_576,
  readTimeoutMs: 30_000,
  previewTimeoutMs: 30_000,
  applyTimeoutMs: 60_000,
  actTimeoutMs: 1_800_000,
  shutdownTimeoutMs: 10_000,
  backoffInitialMs: 250,
  backoffMaxMs: 30_000,
  attempts: 5,
  batchSize: 100,
  queryDepth: 8,
  queryRows: 1_000,
  queryResultBytes: 1_048_576,
  proposalExpiryMs: 300_000,
  artifactExpiryMs: 3_600_000,
  artifactBytes: 104_857_600,
  artifactQuotaBytes: 1_073_741_824,
  artifactCount: 100,
  concurrency: 4,
};

/** A stored artifact is at most this, whatever is configured: the bound of the relay (05:333; chapter 11, "Limits"). */
export const MAX_STORED_ARTIFACT = 67_108_864;

/** The limits as an add-on is told them: an artifact is never larger than what is stored (wire, "Add-on process"). */
export const announced = (limits: Limits): Limits => ({
  ...limits,
  artifactBytes: Math.min(limits.artifactBytes, MAX_STORED_ARTIFACT),
});

/**
 * Above these a value would not do what it says: the parser's own bounds (05:338-344), and the longest delay a timer
 * of Node takes, beyond which it would fire at once.
 */
const TIMER = 2_147_483_647;
const CEILINGS: Limits = {
  manifestBytes: DEFAULT_LIMITS.manifestBytes,
  envelopeBytes: 67_108_864,
  payloadBytes: 67_108_864,
  readTimeoutMs: TIMER,
  previewTimeoutMs: TIMER,
  applyTimeoutMs: TIMER,
  actTimeoutMs: TIMER,
  shutdownTimeoutMs: TIMER,
  backoffInitialMs: TIMER,
  backoffMaxMs: TIMER,
  attempts: 1_000,
  batchSize: 10_000,
  queryDepth: 64,
  queryRows: 1_000_000,
  queryResultBytes: 67_108_864,
  proposalExpiryMs: TIMER,
  artifactExpiryMs: TIMER,
  artifactBytes: 1_099_511_627_776,
  artifactQuotaBytes: 1_099_511_627_776,
  artifactCount: 100_000,
  concurrency: 1_024,
};

/** Pairs whose first must not be above its second (05:336-338). */
const RELATIONS: readonly (readonly [keyof Limits, keyof Limits])[] = [
  ['backoffInitialMs', 'backoffMaxMs'],
  ['artifactBytes', 'artifactQuotaBytes'],
  ['queryResultBytes', 'payloadBytes'],
  ['payloadBytes', 'envelopeBytes'],
];

/**
 * The defaults with `overrides` in place, or every reason why they cannot be used, each naming its limit. Zero is not
 * unlimited, and nothing is clamped: a limit that is wrong stops the start (05:320-344). Starts no timer.
 */
export function limitsFrom(overrides: { readonly [K in keyof Limits]?: number }): Either<readonly string[], Limits> {
  const problems: string[] = [];
  const limits: Limits = { ...DEFAULT_LIMITS, ...overrides };
  for (const key of Object.keys(limits) as (keyof Limits)[]) {
    const value = limits[key];
    if (!Object.hasOwn(CEILINGS, key)) problems.push(`${key} is not a limit.`);
    else if (!Number.isSafeInteger(value) || value <= 0)
      problems.push(`${key} must be a whole number above zero; zero does not mean unlimited.`);
    else if (value > CEILINGS[key]) problems.push(`${key} must be at most ${CEILINGS[key]}.`);
  }
  for (const [low, high] of RELATIONS)
    if (problems.length === 0 && limits[low] > limits[high])
      problems.push(`${low} (${limits[low]}) must not be above ${high} (${limits[high]}).`);
  return problems.length > 0 ? left(problems) : right(limits);
}
