/** One writer: the time of a durable append, against two 4 KiB writes with fdatasync, which is what a commit needs. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbJournal } from '../../dist/modules/events/lmdb/open.js';
import { ACTOR, AT, atMost, catalogue, median, payload, ratio, withDirectory } from './support.mjs';

const ROUNDS = 9;
const PER_ROUND = 300;

export async function run() {
  return withDirectory(async (directory) => {
    const journal = (await openLmdbJournal(join(directory, 'journal'), { catalogue })).right;
    const file = openSync(join(directory, 'pages'), 'w');
    const page = Buffer.alloc(4096, 1);
    const ours = [];
    const disk = [];
    let n = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const ourTimes = [];
      const diskTimes = [];
      for (let step = 0; step < PER_ROUND; step += 1) {
        const before = performance.now();
        const { durable } = journal.append({
          writes: [
            { stream: 'proposal-1', expectedRevision: n, events: [{ type: 'ChangeProposed', payload: payload(n) }] },
          ],
          meta: { at: AT, actor: ACTOR, operationId: `operation-${n}` },
        }).right;
        await durable;
        ourTimes.push(performance.now() - before);
        n += 1;
        const start = performance.now();
        for (const at of [0, 4096]) {
          writeSync(file, page, 0, 4096, n * 8192 + at);
          fdatasyncSync(file);
        }
        diskTimes.push(performance.now() - start);
      }
      ours.push(median(ourTimes));
      disk.push(median(diskTimes));
    }
    closeSync(file);
    await journal.close();
    const [mine, two] = [median(ours), median(disk)];
    return [
      ratio(
        'one writer, p50, vs two 4 KiB fdatasync',
        mine / two,
        atMost(1.3),
        `${mine.toFixed(3)} ms : ${two.toFixed(3)} ms`,
      ),
    ];
  });
}
