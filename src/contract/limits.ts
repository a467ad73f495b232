/** Finite implementation defaults (05, "Finite implementation defaults"; wire.md, "Add-on process"). Sizes in bytes, times in ms. */
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
  artifactBytes: 67_108_864,
  artifactQuotaBytes: 1_073_741_824,
  artifactCount: 100,
  concurrency: 4,
};
