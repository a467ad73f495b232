/**
 * Opens (or, where nothing was ever there, creates) the journal in a directory. Opening never resets anything: what
 * does not reach the anchor, or does not chain, is refused with what was expected and found.
 */
import { lstat, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { BatchingJournal, type JournalOptions } from '../batching-journal.js';
import type { Head } from '../journal.js';
import { ZERO_HASH } from '../sha256.js';
import { type AnchorRecord, AnchorWriter, readAnchor, writeAnchor } from './anchor.js';
import { syncDirectory } from './durable-file.js';
import { writeHead } from './head.js';
import { anchorFile, type Databases, dataFile, FORMAT, lockFile, openDatabases, openingFile } from './layout.js';
import { LmdbStorage } from './lmdb-storage.js';
import { type OpenRefusal, openRefusal } from './open-refusal.js';
import { inspectDataFile } from './preflight.js';
import { probe } from './probe.js';
import { SpaceGuard } from './space.js';
import { checkTail } from './tail.js';

export interface LmdbOptions extends JournalOptions {
  /** The anchor is at most this far behind; 1000 by default. */
  readonly anchorEveryMs?: number;
  /** Bytes of the disk that appends leave free. */
  readonly reserveBytes?: number;
  readonly freeBytes?: (path: string) => number;
  /** How many records the indexes hold in memory before they write a bucket. */
  readonly indexTail?: number;
  /** What went wrong without harm: an anchor or a snapshot that could not be written. */
  readonly onWarning?: (message: string) => void;
}

/** A second environment on the same path in one process would silently share the first one's settings. */
const OPEN_HERE = new Set<string>();

/**
 * @param directory absolute path; created with mode 0700 when missing. The caller holds the owner lock.
 * @returns the journal, or why it was not opened.
 */
export async function openLmdbJournal(
  directory: string,
  options: LmdbOptions = {},
): Promise<Either<OpenRefusal, BatchingJournal>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!(await lstat(directory)).isDirectory())
    return left(openRefusal('not-a-directory', directory, 'The journal must be a directory, not a link or a file.'));
  const real = await realpath(directory);
  if (OPEN_HERE.has(real)) return left(openRefusal('already-open', directory, 'This process has it open already.'));
  OPEN_HERE.add(real);
  let opened: Either<OpenRefusal, BatchingJournal> | undefined;
  try {
    opened = await openChecked(directory, options, () => OPEN_HERE.delete(real));
    return opened;
  } catch (error) {
    // What LMDB noticed by itself; anything else, such as a disk that does not answer, is a fault of the moment.
    if (!(error instanceof Error) || !error.message.startsWith('MDB_')) throw error;
    return left(openRefusal('damaged', dataFile(directory), `The journal is damaged: ${error.message}.`));
  } finally {
    if (opened === undefined || isLeft(opened)) OPEN_HERE.delete(real);
  }
}

async function openChecked(
  directory: string,
  options: LmdbOptions,
  release: () => void,
): Promise<Either<OpenRefusal, BatchingJournal>> {
  const anchored = await beforeMapping(directory);
  if (isLeft(anchored)) return anchored;
  // Reading a damaged page ends the process by a signal; the marker makes the next start ask a child first.
  await writeFile(openingFile(directory), '', { mode: 0o600 });
  let db: Databases | undefined;
  try {
    db = openDatabases(directory, false);
    const tail = checkTail(db, dataFile(directory), anchored.right);
    if (isLeft(tail)) {
      await db.env.close();
      return tail;
    }
    if (db.meta.get('format') === undefined) await create(directory, db);
    // From here on the journal is handed out, and a file that cannot be read is damage.
    if (anchored.right.creating === true) await writeAnchor(directory, NOTHING);
    const warn = options.onWarning ?? (() => {});
    const anchor = new AnchorWriter(directory, options.anchorEveryMs ?? 1_000, warn);
    const space = new SpaceGuard(directory, options.reserveBytes, options.freeBytes);
    const storage = new LmdbStorage(directory, db, anchor, space, warn, release, options.indexTail);
    return right(new BatchingJournal(storage, options));
  } catch (error) {
    await db?.env.close();
    throw error;
  } finally {
    await rm(openingFile(directory), { force: true });
  }
}

/** Everything that can be known without mapping the file; answers the anchor the log must reach. */
async function beforeMapping(directory: string): Promise<Either<OpenRefusal, AnchorRecord>> {
  const file = dataFile(directory);
  const anchor = await readAnchor(directory);
  if (anchor === 'damaged')
    return left(openRefusal('anchor-damaged', anchorFile(directory), 'The anchor of the journal cannot be read.'));
  const data = await inspectDataFile(directory);
  if (data.kind === 'bad' && !(data.torn === true && anchor?.creating === true))
    return left(openRefusal('damaged', file, `The journal is damaged: ${data.reason}.`, at(anchor)));
  if (data.kind === 'plausible') {
    if (anchor === undefined)
      return left(openRefusal('anchor-missing', anchorFile(directory), 'The anchor of the journal is missing.'));
    const probed = await probe(directory, anchor);
    return isLeft(probed) ? probed : right(anchor);
  }
  if (anchor !== undefined && anchor.creating !== true)
    return left(
      openRefusal('emptied', file, `The journal must reach position ${anchor.position} and is ${data.kind}.`, {
        expected: anchor.position,
        found: 0,
      }),
    );
  // What a power cut left of the very first creation; its anchor proves that nothing was ever recorded in it.
  if (data.kind === 'bad') await Promise.all([rm(file), rm(lockFile(directory), { force: true })]);
  // The anchor comes first: from here on, a database without an anchor is one whose anchor was taken away.
  if (anchor === undefined) await writeAnchor(directory, CREATING);
  return right(CREATING);
}

const NOTHING = { position: 0, hash: ZERO_HASH } as const;
const CREATING = { ...NOTHING, creating: true } as const;

const at = (anchor: Head | undefined) => (anchor === undefined ? {} : { expected: anchor.position });

/** LMDB syncs the file it made, but not the directory that names it. */
async function create(directory: string, db: Databases): Promise<void> {
  db.env.transactionSync(() => {
    db.meta.putSync('format', String(FORMAT));
    writeHead(db, { position: 0, hash: ZERO_HASH });
  });
  await syncDirectory(directory);
  await syncDirectory(dirname(directory));
}
