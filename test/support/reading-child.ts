/**
 * A process that opens a journal, reads its end and closes it, again and again. argv: directory, milliseconds. Says how
 * often it read; what it reads is held by the owner beside it.
 */
import { right } from '../../src/contract/fp.js';
import { tailRecords } from '../../src/events/inspect/read.js';

const [directory = '', ms = '0'] = process.argv.slice(2);
const held = async () => right(async () => true);

let reads = 0;
for (const until = Date.now() + Number(ms); Date.now() < until; reads += 1) {
  const tail = await tailRecords(directory, 3, held);
  if (tail._tag === 'Left') throw new Error(tail.left.message);
}
console.log(`read ${reads}`);
