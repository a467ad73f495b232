/** What a journal directory holds, and how its one LMDB environment is opened. Nothing here creates or repairs. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';

export const FORMAT = 1;

export const dataFile = (directory: string): string => join(directory, 'data.mdb');
export const anchorFile = (directory: string): string => join(directory, 'anchor.json');
export const openingFile = (directory: string): string => join(directory, 'opening');
export const snapshotFile = (directory: string): string => join(directory, 'snapshot');

export interface Databases {
  readonly env: RootDatabase<unknown, string>;
  /** Position to the canonical bytes of the record. */
  readonly log: Database<Buffer, number>;
  /** The same database, read as text: the native decoder is faster than a buffer turned into a string. */
  readonly logText: Database<string, number>;
  /** `head` and `format`, as JSON text. */
  readonly meta: Database<string, string>;
  /** `streamKey` to position. */
  readonly streams: Database<Buffer, Buffer>;
  /** `operationKey` to position. */
  readonly operations: Database<Buffer, Buffer>;
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
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;
  return {
    env,
    log: env.openDB<Buffer, number>('log', { encoding: 'binary', keyEncoding: 'uint32' }),
    logText: env.openDB<string, number>('log', { encoding: 'string', keyEncoding: 'uint32' }),
    meta: env.openDB<string, string>('meta', { encoding: 'string' }),
    streams: env.openDB<Buffer, Buffer>('streams', binary),
    operations: env.openDB<Buffer, Buffer>('operations', binary),
    bodies: env.openDB<Buffer, Buffer>('bodies', binary),
  };
}

/** Keys of one stream sort by revision: the name, a zero byte (no name has one), the revision in four bytes. */
export function streamKey(stream: string, revision: number): Buffer {
  const length = Buffer.byteLength(stream);
  const key = Buffer.allocUnsafe(length + 5);
  key.write(stream, 'utf8');
  key[length] = 0;
  key.writeUInt32BE(revision, length + 1);
  return key;
}

/** Half a digest: operation ids have no length limit here, and 128 bits make a clash unthinkable. */
export function operationKey(operationId: string): Buffer {
  return createHash('sha256').update(operationId).digest().subarray(0, 16);
}

export const bodyKey = (ref: string): Buffer => Buffer.from(ref.slice('sha256:'.length), 'hex');

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
