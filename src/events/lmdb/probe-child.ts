/** The child of `probe.ts`: reads head and tail and exits 0, or dies of what it read. argv: the journal directory. */

import { ZERO_HASH } from '../sha256.js';
import { dataFile } from './layout.js';
import { checkTail } from './tail.js';
import { openView } from './view.js';

const directory = process.argv[2] ?? '';
const view = openView(directory);
if (view._tag === 'Right') {
  checkTail(view.right, dataFile(directory), { position: 0, hash: ZERO_HASH });
  await view.right.env.close();
}
