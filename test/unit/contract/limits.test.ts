import {
  announced,
  DEFAULT_LIMITS,
  type Limits,
  limitsFrom,
  MAX_STORED_ARTIFACT,
} from '../../../src/contract/limits.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('limits');
const KEYS = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
const problems = (overrides: Partial<Limits>) => {
  const limits = limitsFrom(overrides);
  return limits._tag === 'Left' ? limits.left : [];
};

test('the defaults are valid, and overrides only change what they name [LIMITS-001]', () => {
  assert.equal(limitsFrom({}), { _tag: 'Right', right: DEFAULT_LIMITS });
  assert.equal(limitsFrom({ attempts: 7 }), { _tag: 'Right', right: { ...DEFAULT_LIMITS, attempts: 7 } });
});

test('zero, negative, fractional and infinite limits are refused by name [LIMITS-002]', () => {
  for (const key of KEYS)
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
      const found = problems({ [key]: value });
      assert.is(found.length, 1, `${key} ${value}`);
      assert.match(found[0] ?? '', new RegExp(`^${key} `));
    }
});

test('every wrong limit is named at once', () => {
  assert.is(problems({ attempts: 0, batchSize: -1, queryDepth: 65 }).length, 3);
});

test('default sizes: manifest 64 KiB, envelope 2 MiB, payload 1 MiB [LIMITS-004]', () => {
  const { manifestBytes, envelopeBytes, payloadBytes } = DEFAULT_LIMITS;
  assert.equal([manifestBytes, envelopeBytes, payloadBytes], [64 * 1024, 2 * 1024 * 1024, 1024 * 1024]);
});

test('default timeouts: read 30 s, preview 30 s, apply 60 s, shutdown 10 s [LIMITS-005]', () => {
  const { readTimeoutMs, previewTimeoutMs, applyTimeoutMs, shutdownTimeoutMs, actTimeoutMs } = DEFAULT_LIMITS;
  assert.equal([readTimeoutMs, previewTimeoutMs, applyTimeoutMs, shutdownTimeoutMs], [30_000, 30_000, 60_000, 10_000]);
  assert.is(actTimeoutMs, 30 * 60_000);
});

test('default backoff: 250 ms to 30 s in 5 attempts [LIMITS-006]', () => {
  const { backoffInitialMs, backoffMaxMs, attempts } = DEFAULT_LIMITS;
  assert.equal([backoffInitialMs, backoffMaxMs, attempts], [250, 30_000, 5]);
});

test('default batch 100, query depth 8, query rows 1000 [LIMITS-007]', () => {
  const { batchSize, queryDepth, queryRows } = DEFAULT_LIMITS;
  assert.equal([batchSize, queryDepth, queryRows], [100, 8, 1_000]);
});

test('default query result 1 MiB [LIMITS-008]', () => assert.is(DEFAULT_LIMITS.queryResultBytes, 1024 * 1024));

test('default expiry: proposal 5 minutes, artifact 1 hour [LIMITS-009]', () => {
  assert.equal([DEFAULT_LIMITS.proposalExpiryMs, DEFAULT_LIMITS.artifactExpiryMs], [300_000, 3_600_000]);
});

test('default artifact count 100 and concurrency 4 [LIMITS-012]', () => {
  assert.equal([DEFAULT_LIMITS.artifactCount, DEFAULT_LIMITS.concurrency], [100, 4]);
});

test('default single artifact 100 MiB and quota 1 GiB; an add-on is told the 64 MiB that are stored [LIMITS-010]', () => {
  assert.is(DEFAULT_LIMITS.artifactBytes, 100 * 1024 * 1024);
  assert.is(MAX_STORED_ARTIFACT, 64 * 1024 * 1024);
  assert.is(announced(DEFAULT_LIMITS).artifactBytes, MAX_STORED_ARTIFACT);
  assert.is(announced({ ...DEFAULT_LIMITS, artifactBytes: 5 }).artifactBytes, 5);
  assert.is(DEFAULT_LIMITS.artifactQuotaBytes, 1024 * 1024 * 1024);
});

test('an initial backoff above the maximum is refused [LIMITS-013]', () => {
  assert.equal(problems({ backoffInitialMs: 30_000 }), []);
  assert.is(problems({ backoffInitialMs: 30_001 }).length, 1);
});

test('a single artifact above the quota is refused [LIMITS-014]', () => {
  assert.equal(problems({ artifactQuotaBytes: DEFAULT_LIMITS.artifactBytes }), []);
  assert.is(problems({ artifactQuotaBytes: DEFAULT_LIMITS.artifactBytes - 1 }).length, 1);
});

test('query bytes above payload bytes above envelope bytes are refused [LIMITS-015]', () => {
  assert.is(problems({ queryResultBytes: 1_048_577 }).length, 1);
  assert.is(problems({ payloadBytes: 2_097_153 }).length, 1);
  assert.is(problems({ envelopeBytes: 1_048_575 }).length, 1);
});

test('a query depth above the 64 levels of the parser is refused [LIMITS-016]', () => {
  assert.equal(problems({ queryDepth: 64 }), []);
  assert.is(problems({ queryDepth: 65 }).length, 1);
});

test('a duration beyond what a timer takes is refused rather than firing at once', () => {
  assert.equal(problems({ readTimeoutMs: 2_147_483_647 }), []);
  assert.is(problems({ readTimeoutMs: 2_147_483_648 }).length, 1);
});

test('a name that is no limit is refused', () => {
  assert.is(problems({ retries: 3 } as Partial<Limits>).length, 1);
});

test.run();
