/** Opens a journal for reading alone, beside a running owner or without one; it never creates or changes anything. */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Head } from '../journal.js';
import { readAnchor } from '../lmdb/anchor.js';
import { anchorFile, type Databases, dataFile } from '../lmdb/layout.js';
import { type OpenRefusal, openRefusal } from '../lmdb/open-refusal.js';
import { inspectDataFile } from '../lmdb/preflight.js';
import { openView } from '../lmdb/view.js';
import { type Hold, kept } from './kept.js';

/** What can be known of the file without mapping it: the anchor, or why the file must not be opened. */
export async function readable(directory: string): Promise<Either<OpenRefusal, Head | undefined>> {
  const anchor = await readAnchor(directory);
  if (anchor === 'damaged')
    return left(openRefusal('anchor-damaged', anchorFile(directory), 'The anchor of the journal cannot be read.'));
  const file = dataFile(directory);
  const data = await inspectDataFile(directory);
  if (data.kind === 'plausible') return right(anchor);
  if (anchor?.creating === true)
    return left(openRefusal('absent', file, 'There is nothing in this journal yet: its first start did not end.'));
  if (data.kind === 'bad') return left(openRefusal('damaged', file, `The journal is damaged: ${data.reason}.`));
  if (anchor === undefined) return left(openRefusal('absent', file, 'There is no journal here.'));
  const positions = { expected: anchor.position, found: 0 };
  const what = `The journal must reach position ${anchor.position} and is ${data.kind}.`;
  return left(openRefusal('emptied', file, what, positions));
}

/** Runs `body` on the opened databases and closes them. Left when there is nothing that can be opened, and as `kept`. */
export async function readOnly<A>(
  directory: string,
  body: (db: Databases) => A | Promise<A>,
  hold?: Hold,
): Promise<Either<OpenRefusal, A>> {
  const checked = await readable(directory);
  if (isLeft(checked)) return checked;
  const read = await kept<Either<OpenRefusal, A>>(directory, hold, async () => {
    const view = openView(directory);
    if (isLeft(view)) return view;
    const db = view.right;
    try {
      // A process that was killed at its very first commits leaves a file without all of its databases.
      if (Object.values(db).some((database: unknown) => database === undefined))
        return left(openRefusal('absent', dataFile(directory), 'There is nothing in this journal yet.'));
      return right(await body(db));
    } finally {
      await db.env.close();
    }
  });
  return isLeft(read) ? read : read.right;
}
