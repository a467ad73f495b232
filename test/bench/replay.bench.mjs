/** 1,000,000 events: replay against a bare range read with the same parsing, and the start with a snapshot. */
import { join } from 'node:path';
import { open } from 'lmdb';
import { Store } from '../../dist/modules/commands/store.js';
import { left } from '../../dist/modules/contract/fp.js';
import { openLmdbJournal } from '../../dist/modules/events/lmdb/open.js';
import { ACTOR, AT, atLeast, atMost, catalogue, median, payload, ratio, withDirectory } from './support.mjs';

const EVENTS = Number(process.env.BENCH_EVENTS ?? 1_000_000);
const ROUNDS = 3;

/** Keeps what changed last for each of a hundred streams. */
const kind = {
  name: 'proposal',
  decider: { initial: null, decide: () => left(undefined), evolve: (_, event) => event.payload },
};
const clock = { now: () => new Date(AT), after: () => () => {} };

async function fill(directory) {
  const journal = (await openLmdbJournal(directory, { catalogue })).right;
  const per = 500;
  for (let n = 0; n < EVENTS; n += per) {
    const stream = `proposal-${(n / per) % 100}`;
    const events = Array.from({ length: per }, (_, index) => ({ type: 'ChangeProposed', payload: payload(n + index) }));
    journal.append({
      writes: [{ stream, expectedRevision: journal.streamRevision(stream), events }],
      meta: { at: AT, actor: ACTOR, operationId: `operation-${n}` },
    });
    if (n % 10_000 === 0) await journal.barrier();
  }
  await journal.close();
}

async function replay(directory) {
  const journal = (await openLmdbJournal(directory, { catalogue })).right;
  const started = performance.now();
  let count = 0;
  for (const slice of journal.read({ from: 1 })) count += slice.length;
  const took = performance.now() - started;
  await journal.close();
  if (count !== EVENTS) throw new Error(`${count} events`);
  return took;
}

/** The rival: the same file and the same `JSON.parse`, and nothing else. */
async function bare(directory) {
  const env = open({ path: directory, noSubdir: false, maxDbs: 8, readOnly: true });
  const log = env.openDB('log', { encoding: 'string', keyEncoding: 'uint32' });
  const started = performance.now();
  let count = 0;
  for (const { value } of log.getRange({})) {
    if (JSON.parse(value).position > 0) count += 1;
  }
  const took = performance.now() - started;
  await env.close();
  if (count !== EVENTS) throw new Error(`${count} events`);
  return took;
}

async function start(directory) {
  const started = performance.now();
  const journal = (await openLmdbJournal(directory, { catalogue })).right;
  const store = await Store.open(journal, clock, [kind]);
  const took = performance.now() - started;
  return { took, store, journal };
}

export async function run() {
  return withDirectory(async (directory) => {
    const full = join(directory, 'full');
    await fill(full);
    const times = { replay: [], bare: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.bare.push(await bare(full));
      times.replay.push(await replay(full));
    }
    const first = await start(full);
    await first.store.snapshot();
    await first.journal.close();
    const starts = { full: [], empty: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const empty = await start(join(directory, `empty-${round}`));
      const again = await start(full);
      starts.empty.push(empty.took);
      starts.full.push(again.took);
      await empty.journal.close();
      await again.journal.close();
    }
    const [ours, theirs] = [median(times.replay), median(times.bare)];
    const [long, short] = [median(starts.full), median(starts.empty)];
    const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
    return [
      ratio(
        `replay of ${EVENTS} events, vs a bare range read with the same parsing`,
        theirs / ours,
        atLeast(0.6),
        `${seconds(theirs)} : ${seconds(ours)}`,
      ),
      ratio(
        `seconds that a start at ${EVENTS} events with a snapshot takes more than an empty one`,
        (long - short) / 1000,
        atMost(1),
        `${seconds(long)} : ${seconds(short)}; without snapshot ${seconds(first.took)}`,
      ),
    ];
  });
}
