/** LMDB journals for tests: opened with the sample catalogue, filled, closed and copied. */

import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft } from '../../src/contract/fp.js';
import type { Journal } from '../../src/events/journal.js';
import { type LmdbOptions, openLmdbJournal } from '../../src/events/lmdb/open.js';
import type { OpenRefusal } from '../../src/events/lmdb/open-refusal.js';
import { assert } from './harness.js';
import { appendTo, SAMPLE_CATALOGUE as catalogue, counted, noted } from './sample-events.js';
import { tempDir } from './temp-dir.js';

export const freshDirectory = (place?: string): string => join(tempDir('journal', place), 'journal');

export async function openJournal(directory: string, options: LmdbOptions = {}): Promise<Journal> {
  const opened = await openLmdbJournal(directory, { catalogue, ...options });
  if (isLeft(opened)) throw new Error(opened.left.message);
  return opened.right;
}

/** The refusal an open must end in. */
export async function refusedOpen(directory: string): Promise<OpenRefusal> {
  const opened = await openLmdbJournal(directory, { catalogue });
  if (isLeft(opened)) return opened.left;
  await opened.right.close();
  throw new Error('the journal was opened');
}

/** `count` events over a few streams, in commits of a few events each. */
export async function fill(journal: Journal, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const stream = `stream-${n % 5}`;
    const event = n % 3 === 0 ? noted(`text ${n} ${'x'.repeat(n % 50)}`) : counted(n);
    const appended = journal.append(
      appendTo(stream, journal.streamRevision(stream), [event], { operationId: `operation-${n}` }),
    );
    if (isLeft(appended)) throw new Error(JSON.stringify(appended.left));
    if (n % 4 === 3) assert.ok(!isLeft(await appended.right.durable));
  }
  assert.ok(!isLeft(await journal.barrier()));
}

/** A closed journal of `count` events; small buckets, so that the indexes are on disk too. */
export async function filledDirectory(count: number): Promise<string> {
  const directory = freshDirectory();
  const journal = await openJournal(directory, { indexTail: 16 });
  await fill(journal, count);
  await journal.close();
  return directory;
}

export function copyOf(directory: string, place?: string): string {
  const copy = freshDirectory(place);
  cpSync(directory, copy, { recursive: true });
  return copy;
}

/** Digest of every file but LMDB's table of readers and the marker of a start, to show that nothing was changed. */
export function contents(directory: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(directory).sort())
    if (name !== 'lock.mdb' && name !== 'opening') hash.update(`${name}\0`).update(readFileSync(join(directory, name)));
  return hash.digest('hex');
}
