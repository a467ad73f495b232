/** Where the time of an append goes: encoding and validating, hashing, committing; microseconds a record, no goal. */
import { join } from 'node:path';
import { encodeEvent, metaText, recordText } from '../../dist/modules/events/codec.js';
import { openLmdbJournal } from '../../dist/modules/events/lmdb/open.js';
import { sha256Hex } from '../../dist/modules/events/sha256.js';
import { ACTOR, AT, catalogue, payload, ratio, withDirectory } from './support.mjs';

const EVENTS = 64_000;
const BATCH = 64;

function each(count, body) {
  const started = performance.now();
  for (let n = 0; n < count; n += 1) body(n);
  return ((performance.now() - started) * 1000) / count;
}

export async function run() {
  const place = {
    position: 1,
    id: '00000000-0000-4000-8000-000000000000',
    stream: 'proposal-1',
    revision: 1,
    prev: '0'.repeat(64),
  };
  const meta = { at: AT, actor: ACTOR, operationId: 'operation-1' };
  const encoded = encodeEvent(catalogue, { type: 'ChangeProposed', payload: payload(1) }).right;
  const { text } = recordText(encoded, metaText(meta), place);
  for (let warm = 0; warm < 2; warm += 1)
    each(20_000, (n) => encodeEvent(catalogue, { type: 'ChangeProposed', payload: payload(n) }));
  const encode = each(EVENTS, (n) => encodeEvent(catalogue, { type: 'ChangeProposed', payload: payload(n) }));
  const hash = each(EVENTS, () => sha256Hex(text));
  const write = each(EVENTS, () => Buffer.from(recordText(encoded, metaText(meta), place).text)) - hash;
  const commit = await withDirectory(async (directory) => {
    const journal = (await openLmdbJournal(join(directory, 'journal'), { catalogue })).right;
    let took = 0;
    for (let n = 0; n < EVENTS; n += BATCH) {
      for (let id = 0; id < BATCH; id += 1)
        journal.append({
          writes: [
            {
              stream: `proposal-${id}`,
              expectedRevision: n / BATCH,
              events: [{ type: 'ChangeProposed', payload: payload(n) }],
            },
          ],
          meta: { ...meta, operationId: `operation-${n}-${id}` },
        });
      const started = performance.now();
      await journal.barrier();
      took += performance.now() - started;
    }
    await journal.close();
    return (took * 1000) / EVENTS;
  });
  const row = (name, value) =>
    ratio(name, value, {}, `us a record, ${Math.round((value * 100) / (encode + hash + write + commit))}%`);
  return [
    row('append: validate and encode the payload', encode),
    row('append: put the record together', write),
    row('append: hash', hash),
    row(`append: commit, ${BATCH} records each`, commit),
  ];
}
