/** What must hold of a journal after its process ended in any way: acknowledged is there, and everything chains. */
import { chainFault } from '../../src/events/codec.js';
import type { Journal } from '../../src/events/journal.js';
import { assert } from './harness.js';

export interface Said {
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly tried: ReadonlySet<string>;
  readonly unknown: ReadonlySet<string>;
}

/** Reads the lines of `append-child`. */
export function said(lines: readonly string[]): Said {
  const acknowledged = new Map<string, number>();
  const tried = new Set<string>();
  const unknown = new Set<string>();
  for (const line of lines) {
    const [word, first = '', second = ''] = line.split(' ');
    if (word === 'try') tried.add(first);
    if (word === 'unknown') unknown.add(first);
    if (word === 'ack') acknowledged.set(second, Number(first));
  }
  return { acknowledged, tried, unknown };
}

/** acknowledged ⊆ recovered ⊆ tried; gapless; chained; head, streams and operation ids agree with the log. */
export function assertRecovered(journal: Journal, { acknowledged, tried }: Said): void {
  const revisions = new Map<string, number>();
  const found = new Map<string, number>();
  let prev = '0'.repeat(64);
  let last = 0;
  for (const slice of journal.readRaw({ from: 1 }))
    for (const { position, bytes } of slice) {
      assert.is(position, last + 1, 'positions are gapless');
      assert.is(chainFault(bytes, position, prev), undefined);
      const record = journal.record(position);
      assert.is(record?.revision, (revisions.get(record?.stream ?? '') ?? 0) + 1, 'revisions are gapless');
      revisions.set(record?.stream ?? '', record?.revision ?? 0);
      found.set(record?.operationId ?? '', position);
      prev = record?.hash ?? '';
      last = position;
    }
  assert.equal(journal.head(), { position: last, hash: prev });
  for (const [operationId, position] of acknowledged) {
    assert.is(found.get(operationId), position, `${operationId} was acknowledged and is lost`);
    assert.is(journal.operation(operationId)?.position, position);
  }
  for (const operationId of found.keys()) assert.ok(tried.has(operationId), `${operationId} was never tried`);
  for (const [stream, revision] of revisions) {
    assert.is(journal.streamRevision(stream), revision);
    assert.is(journal.readStream(stream).length, revision);
  }
}
