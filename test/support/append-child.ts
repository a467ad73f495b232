/**
 * A process that appends until it is killed or done. argv: directory, writers, events per writer, `anchorEveryMs`.
 * On descriptor 1: `try ID` before an append, `ack POSITION ID` after its acknowledgement, `unknown ID` and
 * `fenced` when the storage failed. Written at once, so that what was said before a kill was really said.
 */
import { writeSync } from 'node:fs';
import { isLeft } from '../../src/contract/fp.js';
import { openLmdbJournal } from '../../src/events/lmdb/open.js';
import { appendTo, SAMPLE_CATALOGUE as catalogue, counted } from './sample-events.js';

const [directory = '', writers = '1', each = '10', anchorEveryMs = '1000'] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);

const opened = await openLmdbJournal(directory, { catalogue, indexTail: 64, anchorEveryMs: Number(anchorEveryMs) });
if (isLeft(opened)) {
  say(`refused ${opened.left.code}`);
  process.exit(3);
}
const journal = opened.right;
journal.onFenced(() => say('fence'));
say('open');

async function writer(id: number): Promise<void> {
  for (let n = 0; n < Number(each); n += 1) {
    const stream = `writer-${id}`;
    const operationId = `${process.pid}-${id}-${n}`;
    say(`try ${operationId}`);
    const appended = journal.append(appendTo(stream, journal.streamRevision(stream), [counted(n)], { operationId }));
    if (isLeft(appended)) {
      say(appended.left.kind);
      return;
    }
    const durable = await appended.right.durable;
    say(isLeft(durable) ? `unknown ${operationId}` : `ack ${appended.right.records[0]?.position} ${operationId}`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, id) => writer(id)));
await journal.close();
say('closed');
