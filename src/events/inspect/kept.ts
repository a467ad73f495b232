/** Reads a journal from outside its owner so that what was read is known to have stood still, or is not answered. */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { dataFile } from '../lmdb/layout.js';
import { type OpenRefusal, openRefusal } from '../lmdb/open-refusal.js';
import { newestTransaction } from '../lmdb/transactions.js';

/** Lets the owner go on as before; answers whether it held everything until now. */
export type Release = () => Promise<boolean>;

/**
 * Has a running owner hold what is stored (`Journal.hold`). Right with nothing when no owner runs; left with why one
 * that runs does not hold.
 */
export type Hold = () => Promise<Either<string, Release | undefined>>;

const NOBODY: Hold = async () => right(undefined);

/** @param directory a journal whose file was found plausible. Refuses with `moved` and with `not-held`. */
export async function kept<A>(
  directory: string,
  hold: Hold = NOBODY,
  read: () => A | Promise<A>,
): Promise<Either<OpenRefusal, A>> {
  const file = dataFile(directory);
  const held = await hold();
  if (isLeft(held)) return left(openRefusal('not-held', file, `The journal cannot be read now: ${held.left}`));
  const release = held.right ?? unchanged(file);
  let result: A;
  try {
    result = await read();
  } catch (error) {
    await release();
    throw error;
  }
  if (await release()) return right(result);
  return left(openRefusal('moved', file, 'An owner started or ended while the journal was read. Run it again.'));
}

/** Without an owner nobody writes, and whether that was so can be seen afterwards. */
function unchanged(file: string): Release {
  const before = newestTransaction(file);
  return async () => newestTransaction(file) === before;
}
