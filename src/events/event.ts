/** How an event type is declared, and the shapes an event has on its way into and out of the journal. */
import type { Actor } from '../contract/actor.js';
import type { t } from '../contract/fp.js';
import type { JsonObject } from '../contract/json.js';

/** A versioned event type: its payload codec today, and how the payload of each older version becomes the next. */
export interface EventSpec<P> {
  readonly version: number;
  readonly payload: t.Type<P>;
  /** `upcast[n]` turns a payload of version n into one of version n + 1; every version ever written stays readable. */
  readonly upcast?: Readonly<Record<number, (old: JsonObject) => JsonObject>>;
}

/** A catalogue whose payload types are its own business. */
export type EventCatalogue = Readonly<
  Record<
    string,
    { readonly version: number; readonly payload: t.Mixed; readonly upcast?: EventSpec<unknown>['upcast'] }
  >
>;

type PayloadOf<S> = S extends EventSpec<infer P> ? P : never;

/** The discriminated union of a catalogue: `{type: 'ProposalStored', payload: ...} | ...`. */
export type EventOf<C> = { [K in keyof C & string]: { readonly type: K; readonly payload: PayloadOf<C[K]> } }[keyof C &
  string];

/** Declares the events of one kind of stream and keeps their exact types. */
export const defineEvents = <
  C extends Readonly<Record<string, { version: number; payload: t.Mixed; upcast?: EventSpec<unknown>['upcast'] }>>,
>(
  catalogue: C,
): { readonly [K in keyof C]: EventSpec<t.TypeOf<C[K]['payload']>> } => catalogue as never;

/** An event as a decision returns it. */
export interface NewEvent {
  readonly type: string;
  readonly payload: unknown;
}

/** When, by whom and for which operation events were decided; the same for all events of one append. */
export interface EventMeta {
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  readonly actor?: Actor;
  readonly operationId?: string;
}

/** An event with its place in the journal, as `evolve` and projections see it: decoded and upcast. */
export interface RecordedEvent extends EventMeta {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  /** From 1, gapless within the stream. */
  readonly revision: number;
  readonly payload: unknown;
}

/** A recorded event of a known catalogue, for the typed `evolve` of its aggregate. */
export type Recorded<E> = E & Omit<RecordedEvent, 'type' | 'payload'>;

/** The record as it is stored and exported (wire.md, "Journal record"). */
export interface JournalRecord extends EventMeta {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly stream: string;
  readonly revision: number;
  readonly payload: JsonObject;
  /** Hex SHA-256 of the record before it; 64 zeros at position 1. */
  readonly prev: string;
  /** Hex SHA-256 of the canonical JSON of this record without `hash`. */
  readonly hash: string;
}
