/**
 * From a decided event to its canonical bytes and back. Payloads are validated on write and, after upcasting, on
 * read; a type this build does not know is refused by name and never skipped.
 */
import { canonicalJson, canonicalString, recordJson } from '../contract/canonical-json.js';
import { type Either, explain, isLeft, left, right } from '../contract/fp.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { EventMeta, EventSpec, JournalRecord, NewEvent, RecordedEvent } from './event.js';
import { sha256Hex } from './sha256.js';

export type Catalogue = Readonly<Record<string, EventSpec<unknown>>>;

/** A record that cannot be read: damaged, of an unknown type, or of a version newer than this build. */
export class UnreadableRecord extends Error {
  constructor(
    readonly position: number,
    reason: string,
  ) {
    super(`record ${position}: ${reason}`);
    this.name = 'UnreadableRecord';
  }
}

/** A validated event whose payload text is ready; only its place in the journal is missing. */
export interface EncodedEvent {
  readonly type: string;
  readonly version: number;
  readonly payload: unknown;
  readonly payloadText: string;
}

/** Validates a decided event against its codec; left says why without quoting the payload. */
export function encodeEvent(catalogue: Catalogue, event: NewEvent): Either<string, EncodedEvent> {
  const spec = Object.hasOwn(catalogue, event.type) ? catalogue[event.type] : undefined;
  if (spec === undefined) return left('no such event type');
  const decoded = spec.payload.decode(event.payload);
  if (isLeft(decoded)) return left(explain(decoded.left));
  try {
    const payloadText = recordJson(spec.payload.encode(decoded.right) as Json);
    if (payloadText[0] !== '{') return left('a payload must be an object');
    return right({ type: event.type, version: spec.version, payload: decoded.right, payloadText });
  } catch (error) {
    return left(error instanceof Error ? error.message : 'not JSON');
  }
}

/** The part of a record that all events of one append share, as text, made once. */
export interface MetaText {
  readonly head: string;
  readonly operation: string;
}

export function metaText(meta: EventMeta): MetaText {
  const actor = meta.actor === undefined ? '' : `"actor":${canonicalJson({ ...meta.actor })},`;
  return {
    head: `{${actor}"at":${canonicalString(meta.at)}`,
    operation: meta.operationId === undefined ? '' : `,"operationId":${canonicalString(meta.operationId)}`,
  };
}

export interface Place {
  readonly position: number;
  /** Like `stream` printable ASCII without quotes, which the journal checked. */
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly prev: string;
}

/** The canonical text of a record and its hash, put together in key order so that nothing is sorted or hashed twice. */
export function recordText(event: EncodedEvent, meta: MetaText, place: Place): { text: string; hash: string } {
  const tail =
    `,"id":"${place.id}"${meta.operation},"payload":${event.payloadText},"position":${place.position}` +
    `,"prev":"${place.prev}","revision":${place.revision},"stream":"${place.stream}"` +
    `,"type":"${event.type}","version":${event.version}}`;
  const hash = sha256Hex(meta.head + tail);
  return { text: `${meta.head},"hash":"${hash}"${tail}`, hash };
}

/** The record in stored bytes or their text, shape-checked only as far as reading needs. @throws UnreadableRecord */
export function parseRecord(position: number, stored: Uint8Array | string): JournalRecord {
  let value: unknown;
  try {
    value = JSON.parse(typeof stored === 'string' ? stored : textOf(stored));
  } catch {
    throw new UnreadableRecord(position, 'the bytes are not JSON');
  }
  const record = value as JournalRecord | null;
  if (typeof record !== 'object' || record === null || record.position !== position)
    throw new UnreadableRecord(position, 'the bytes are not the record of this position');
  return record;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The event in a record, its payload brought to the version of today and validated. @throws UnreadableRecord */
export function decodeRecord(catalogue: Catalogue, record: JournalRecord): RecordedEvent {
  const { position, type } = record;
  const spec = Object.hasOwn(catalogue, type) ? catalogue[type] : undefined;
  if (spec === undefined)
    throw new UnreadableRecord(
      position,
      `unknown event type "${String(type).slice(0, 128)}"; a newer version wrote it`,
    );
  if (!(record.version <= spec.version))
    throw new UnreadableRecord(
      position,
      `${type} has version ${record.version}, this build reads up to ${spec.version}`,
    );
  let payload: JsonObject = record.payload;
  for (let version = record.version; version < spec.version; version += 1) {
    const step = spec.upcast?.[version];
    if (step === undefined) throw new UnreadableRecord(position, `${type} has no upcaster from version ${version}`);
    payload = step(payload);
  }
  const decoded = spec.payload.decode(payload);
  if (isLeft(decoded)) throw new UnreadableRecord(position, `${type} does not decode: ${explain(decoded.left)}`);
  const { id, stream, revision, at, actor, operationId } = record;
  // Written out, since spreads cost as much as the parsing on a replay of a million events.
  if (actor !== undefined && operationId !== undefined)
    return { position, id, type, stream, revision, at, actor, operationId, payload: decoded.right };
  if (actor !== undefined) return { position, id, type, stream, revision, at, actor, payload: decoded.right };
  if (operationId !== undefined)
    return { position, id, type, stream, revision, at, operationId, payload: decoded.right };
  return { position, id, type, stream, revision, at, payload: decoded.right };
}

/** What is wrong with stored bytes: not canonical, not carrying their own hash, or not standing on `prev`. */
export function chainFault(bytes: Uint8Array, position: number, prev: string): string | undefined {
  const record = parseRecord(position, bytes);
  const { hash, ...unhashed } = record;
  if (record.prev !== prev) return 'it does not stand on the record before it';
  const hashPart = `,"hash":"${hash}"`;
  const text = textOf(bytes);
  const at = text.indexOf(hashPart);
  const hashed = text.slice(0, at) + text.slice(at + hashPart.length);
  if (at < 0 || canonicalJson(unhashed as unknown as Json) !== hashed) return 'its bytes are not in canonical form';
  return sha256Hex(hashed) === hash ? undefined : 'its hash does not match its content';
}
