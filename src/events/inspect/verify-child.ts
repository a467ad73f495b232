/** The child of `verify.ts`. argv: directory, first position, slice, `anchor` or `itself`. Writes `at N` after each good slice, then JSON. */
import { writeSync } from 'node:fs';
import { isLeft } from '../../contract/fp.js';
import { readAnchor } from '../lmdb/anchor.js';
import { isSystemError, openView } from '../lmdb/view.js';
import { walk } from './walk.js';

const [directory = '', from = '1', slice = '1000', against = 'anchor'] = process.argv.slice(2);
/** Written at once, since what stands in a buffer is lost when a page kills the process. */
const say = (line: string) => writeSync(1, `${line}\n`);

let reached = Number(from) - 1;
try {
  const anchor = against === 'anchor' ? await readAnchor(directory) : undefined;
  if (anchor === 'damaged') throw new Error('the anchor cannot be read');
  const view = openView(directory);
  const progress = (position: number) => {
    reached = position;
    say(`at ${position}`);
  };
  if (isLeft(view)) say(JSON.stringify({ inconclusive: true, reason: view.left.message }));
  else {
    say(JSON.stringify(await walk(view.right, { from: Number(from), slice: Number(slice), anchor, progress })));
    await view.right.env.close();
  }
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  try {
    say(JSON.stringify(isSystemError(error) ? { inconclusive: true, reason } : { position: reached + 1, reason }));
  } catch {
    // Nobody listens any more: the owner was killed.
  }
} finally {
  // An orderly exit waits for the threads of the storage library, and was seen to wait for ever when the owner was gone.
  process.kill(process.pid, 'SIGKILL');
}
