/** What every bench file shares: temporary directories, medians, and the records that are written. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closed, t } from '../../dist/modules/contract/fp.js';

export async function withDirectory(body) {
  const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'castellan-bench-'));
  try {
    return await body(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export const ratio = (name, value, goal, detail) => ({ name, value, ...goal, detail });
export const atLeast = (number) => ({ goal: `>= ${number}`, met: (value) => value >= number });
export const atMost = (number) => ({ goal: `<= ${number}`, met: (value) => value <= number });

/** An event the size of a stored proposal, about 500 bytes as a record. */
export const catalogue = {
  ChangeProposed: {
    version: 1,
    payload: closed('ChangeProposed', {
      addonId: t.string,
      digest: t.string,
      generation: t.Int,
      resourceId: t.string,
      revision: closed('revision', { data: t.Int, schema: t.Int }),
      tool: t.string,
    }),
  },
};

export const payload = (n) => ({
  addonId: 'tables',
  digest: `sha256:${'ab'.repeat(32)}`,
  generation: 3,
  resourceId: `resource-${n % 97}`,
  revision: { data: n, schema: 4 },
  tool: 'rows-update',
});

export const AT = '2026-11-30T12:00:00.000Z';
export const ACTOR = { credentialId: 'local-owner', mode: 'local-owner', userId: 'local-owner' };

/** The same record, built without the journal: keys already in canonical order, one hash over the one before. */
export function rawRecord(n, stream, revision, id, prev) {
  const head = { actor: ACTOR, at: AT };
  const tail = {
    id,
    operationId: `operation-${n}`,
    payload: payload(n),
    position: n,
    prev,
    revision,
    stream,
    type: 'ChangeProposed',
    version: 1,
  };
  const hash = createHash('sha256')
    .update(JSON.stringify({ ...head, ...tail }))
    .digest('hex');
  return { text: JSON.stringify({ ...head, hash, ...tail }), hash };
}
