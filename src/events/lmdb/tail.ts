/** What the owner checks of the log before it serves: the head, the anchored record, and the last records' chain. */
import { type Either, left, right } from '../../contract/fp.js';
import { chainFault, parseRecord, UnreadableRecord } from '../codec.js';
import type { Head } from '../journal.js';
import { ZERO_HASH } from '../sha256.js';
import { readHead } from './head.js';
import { type Databases, FORMAT } from './layout.js';
import { type OpenRefusal, openRefusal } from './open-refusal.js';

const TAIL_RECORDS = 256;

export function checkTail(db: Databases, file: string, anchor: Head): Either<OpenRefusal, Head> {
  const format = db.meta.get('format');
  if (format !== undefined && format !== String(FORMAT))
    return left(openRefusal('format', file, `The journal has format ${format}, this build reads format ${FORMAT}.`));
  const head = readHead(db);
  const positions = { expected: anchor.position, found: head.position };
  if (head.position < anchor.position)
    return left(
      openRefusal(
        'shortened',
        file,
        `The journal must reach position ${anchor.position} and ends at ${head.position}: it was cut, or is an older copy.`,
        positions,
      ),
    );
  if (anchor.position > 0 && hashAt(db, anchor.position) !== anchor.hash)
    return left(
      openRefusal(
        'other-history',
        file,
        `Record ${anchor.position} is not the one that was recorded there: another journal was put in its place.`,
        positions,
      ),
    );
  return checkChain(db, file, head);
}

function checkChain(db: Databases, file: string, head: Head): Either<OpenRefusal, Head> {
  const first = Math.max(1, head.position - TAIL_RECORDS + 1);
  let prev = first === 1 ? ZERO_HASH : hashAt(db, first - 1);
  let last = first - 1;
  for (let position = first; position <= head.position; position += 1) {
    const fault = recordFault(db, position, prev);
    if (fault !== undefined)
      return left(openRefusal('damaged', file, `Record ${position} is damaged: ${fault}.`, { found: position }));
    prev = hashAt(db, position);
    last = position;
  }
  const beyond = [...db.log.getKeys({ start: head.position + 1, limit: 1 })];
  if (last !== head.position || prev !== head.hash || beyond.length > 0)
    return left(openRefusal('damaged', file, 'The head does not name the last record.', { found: head.position }));
  return right(head);
}

function recordFault(db: Databases, position: number, prev: string | undefined): string | undefined {
  const bytes = db.log.get(position);
  if (bytes === undefined) return 'it is missing';
  if (prev === undefined) return 'the record before it cannot be read';
  try {
    return chainFault(bytes, position, prev);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function hashAt(db: Databases, position: number): string | undefined {
  const bytes = db.log.get(position);
  if (bytes === undefined) return undefined;
  try {
    return parseRecord(position, bytes).hash;
  } catch (error) {
    if (error instanceof UnreadableRecord) return undefined;
    throw error;
  }
}
