/**
 * A process that reads a journal twice in one transaction, with a pause between. argv: directory, records, milliseconds.
 * Says `open` in the pause and `same` when both readings were complete and equal.
 */
import { writeSync } from 'node:fs';
import { must } from '../../src/contract/fp.js';
import { openView } from '../../src/events/lmdb/view.js';

const [directory = '', records = '0', ms = '0'] = process.argv.slice(2);
const { log, env } = must(openView(directory), 'a view');
const transaction = env.useReadTransaction();
const texts = () => Array.from({ length: Number(records) }, (_, n) => String(log.get(n + 1, { transaction })));
const before = texts();
writeSync(1, 'open\n');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
const same = !before.includes('undefined') && texts().join() === before.join();
writeSync(1, same ? 'same\n' : 'differs\n');
// What was read may have been overwritten, and closing would read more of it.
process.kill(process.pid, 'SIGKILL');
