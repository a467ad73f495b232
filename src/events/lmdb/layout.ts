/** What a journal directory holds, and how its one LMDB environment is opened. Nothing here creates or repairs. */
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';

export const FORMAT = 1;

export const dataFile = (directory: string): string => join(directory, 'data.mdb');
export const lockFile = (directory: string): string => join(directory, 'lock.mdb');
export const anchorFile = (directory: string): string => join(directory, 'anchor.json');
export const openingFile = (directory: string): string => join(directory, 'opening');
export const snapshotFile = (directory: string): string => join(directory, 'snapshot');

export interface Databases {
  readonly env: RootDatabase<unknown, string>;
  /** Position to the canonical bytes of the record. */
  readonly log: Database<Buffer, number>;
  /** The same database, read as text: the native decoder is faster than a buffer turned into a string. */
  readonly logText: Database<string, number>;
  /** `head`, `format` and `indexed` (the last position in the indexes), as JSON text. */
  readonly meta: Database<string, string>;
  /** Buckets of the stream index (`packed-index.ts`). */
  readonly streams: Database<Buffer, number>;
  /** Buckets of the operation index. */
  readonly operations: Database<Buffer, number>;
  /** Raw digest to salt and bytes. */
  readonly bodies: Database<Buffer, Buffer>;
}

/**
 * Opens the environment in strict mode: data, then meta page, then the return of the commit (`noSync` and
 * overlapping syncs would acknowledge what a power cut can take back). Read-only never creates anything.
 */
export function openDatabases(directory: string, readOnly: boolean): Databases {
  const env = open<unknown, string>({
    path: directory,
    noSubdir: false,
    overlappingSync: false,
    maxDbs: 8,
    mapSize: 1 << 30,
    readOnly,
    ...{ permissionsMode: 0o600 },
  });
  const numbered = { encoding: 'binary', keyEncoding: 'uint32' } as const;
  return {
    env,
    log: env.openDB<Buffer, number>('log', numbered),
    logText: env.openDB<string, number>('log', { encoding: 'string', keyEncoding: 'uint32' }),
    meta: env.openDB<string, string>('meta', { encoding: 'string' }),
    streams: env.openDB<Buffer, number>('streams', numbered),
    operations: env.openDB<Buffer, number>('operations', numbered),
    bodies: env.openDB<Buffer, Buffer>('bodies', { encoding: 'binary', keyEncoding: 'binary' }),
  };
}

export const bodyKey = (ref: string): Buffer => Buffer.from(ref.slice('sha256:'.length), 'hex');
