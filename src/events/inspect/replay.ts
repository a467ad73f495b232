/** `journal replay`: is the state that a snapshot and its tail give the one that the whole journal gives? */
import { canonicalJson } from '../../contract/canonical-json.js';
import type { Either } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { CATALOGUE } from '../catalogue/index.js';
import { type Catalogue, decodeRecord, parseRecord } from '../codec.js';
import type { RecordedEvent } from '../event.js';
import type { Head, Snapshot } from '../journal.js';
import { readHead } from '../lmdb/head.js';
import type { Databases } from '../lmdb/layout.js';
import type { OpenRefusal } from '../lmdb/open-refusal.js';
import { readSnapshot } from '../lmdb/snapshots.js';
import { sha256Hex } from '../sha256.js';
import type { Hold } from './kept.js';
import { readOnly } from './read-only.js';

/** The state the events are folded into, as `OwnerState` is one. */
export interface Foldable {
  apply(event: RecordedEvent): void;
  restore(snapshot: JsonObject): void;
  toJSON(): JsonObject;
}

export interface ReplayReport {
  readonly head: Head;
  /** SHA-256 of the canonical JSON of the state, to compare with another fold of the same head. */
  readonly stateDigest: string;
  /** Absent when there is no usable snapshot. */
  readonly snapshot?: { readonly position: number; readonly equal: boolean; readonly firstDifference?: string };
}

const SLICE = 500;

export function replayJournal(
  directory: string,
  newState: () => Foldable,
  /** The snapshot format this build writes; another one is ignored, as at a start. */
  format: number,
  { catalogue = CATALOGUE, hold }: { readonly catalogue?: Catalogue; readonly hold?: Hold } = {},
): Promise<Either<OpenRefusal, ReplayReport>> {
  const read = async (db: Databases): Promise<ReplayReport> => {
    const head = readHead(db);
    const full = await fold(db, catalogue, newState(), 1, head.position);
    const report = { head, stateDigest: stateDigest(full) };
    const snapshot = usable(db, readSnapshot(directory), format);
    if (snapshot === undefined) return report;
    const state = newState();
    state.restore(JSON.parse(new TextDecoder().decode(snapshot.state)) as JsonObject);
    const short = await fold(db, catalogue, state, snapshot.position + 1, head.position);
    const difference = firstDifference(plain(full), plain(short), '');
    const { position } = snapshot;
    const equal = difference === undefined;
    return { ...report, snapshot: { position, equal, ...(equal ? {} : { firstDifference: difference }) } };
  };
  return readOnly(directory, read, hold);
}

export function stateDigest(state: Foldable): string {
  return sha256Hex(canonicalJson(plain(state)));
}

/** The state as a snapshot would keep it: a field that is `undefined` is a field that is not there. */
function plain(state: Foldable): JsonObject {
  return JSON.parse(JSON.stringify(state.toJSON())) as JsonObject;
}

async function fold(db: Databases, catalogue: Catalogue, state: Foldable, from: number, to: number): Promise<Foldable> {
  for (let start = from; start <= to; start += SLICE) {
    for (const { key, value } of db.log.getRange({ start, end: Math.min(start + SLICE, to + 1) }))
      state.apply(decodeRecord(catalogue, parseRecord(key, value)));
    await new Promise((resume) => setImmediate(resume));
  }
  return state;
}

function usable(db: Databases, snapshot: Snapshot | undefined, format: number): Snapshot | undefined {
  if (snapshot === undefined || snapshot.format !== format || snapshot.position === 0) return undefined;
  const bytes = db.log.get(snapshot.position);
  return bytes !== undefined && parseRecord(snapshot.position, bytes).hash === snapshot.hash ? snapshot : undefined;
}

/** The path of the first place where two JSON values differ. */
function firstDifference(a: Json | undefined, b: Json | undefined, path: string): string | undefined {
  if (a === b) return undefined;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return path || '(the whole state)';
  const [left, right] = [a as JsonObject, b as JsonObject];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = firstDifference(left[key], right[key], `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
