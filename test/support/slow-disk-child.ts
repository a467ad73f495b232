/** Appends once on a disk whose sync is slow, and says what could be read when the append returned and when it was durable. */
import { isLeft } from '../../src/contract/fp.js';
import { openLmdbJournal } from '../../src/events/lmdb/open.js';
import { appendTo, SAMPLE_CATALOGUE as catalogue, counted } from './sample-events.js';

const opened = await openLmdbJournal(process.argv[2] ?? '', { catalogue });
if (isLeft(opened)) throw new Error(opened.left.message);
const journal = opened.right;
const readable = () => [...journal.read({ from: 1 })].flat().length;
const started = performance.now();
const appended = journal.append(appendTo('s', 0, [counted(1)]));
if (isLeft(appended)) throw new Error(appended.left.kind);
let settled = false;
void appended.right.durable.then(() => {
  settled = true;
});
await Promise.resolve();
console.log(`early ${settled ? 1 : readable()}`);
await appended.right.durable;
if (performance.now() - started < 250) throw new Error('the sync was not slow');
console.log(`late ${readable()}`);
await journal.close();
