/** The snapshot: one file beside the database, a line of JSON and then the state. Lost or damaged, it is rebuilt. */
import { readFileSync } from 'node:fs';
import { closed, isRight, t } from '../../contract/fp.js';
import type { Snapshot } from '../journal.js';
import { sha256Hex } from '../sha256.js';
import { replaceFile } from './durable-file.js';
import { snapshotFile } from './layout.js';

const Line = closed('snapshot', { position: t.Int, hash: t.string, format: t.Int, digest: t.string });

/** The snapshot, or undefined when there is none whose bytes match their digest. */
export function readSnapshot(directory: string): Snapshot | undefined {
  try {
    const bytes = readFileSync(snapshotFile(directory));
    const end = bytes.indexOf(0x0a);
    const line = Line.decode(JSON.parse(bytes.subarray(0, end).toString('utf8')));
    if (!isRight(line)) return undefined;
    const { digest, ...stands } = line.right;
    const state = bytes.subarray(end + 1);
    return sha256Hex(state) === digest ? { ...stands, state } : undefined;
  } catch {
    return undefined;
  }
}

export async function writeSnapshot(directory: string, snapshot: Snapshot): Promise<void> {
  const { position, hash, format, state } = snapshot;
  const line = { position, hash, format, digest: sha256Hex(state) };
  await replaceFile(snapshotFile(directory), [Buffer.from(`${JSON.stringify(line)}\n`), state]);
}
