/**
 * The state of every live stream, folded from the journal. All collections are bounded by the quotas of the
 * chapters, so queries are plain scans over this one structure and need no index of their own.
 */

import type { Decider } from '../aggregates/decider.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Recorded, RecordedEvent } from '../events/event.js';

/** One kind of stream: `proposal` for the streams `proposal-<id>`; the id is what follows the first hyphen. */
export interface StreamKind<State, Command, Event> {
  readonly name: string;
  readonly decider: Decider<State, Command, Event>;
  /** True when nothing may ever ask for this state again, so it leaves memory (its events stay in the journal). */
  gone?(state: State): boolean;
}

/** A kind whose state and event types are its own business. */
export type AnyStreamKind = StreamKind<unknown, never, unknown>;

export function streamName(kind: { readonly name: string }, id: string): string {
  return id === '' ? kind.name : `${kind.name}-${id}`;
}

function splitStream(stream: string): { name: string; id: string } {
  const hyphen = stream.indexOf('-');
  return hyphen < 0 ? { name: stream, id: '' } : { name: stream.slice(0, hyphen), id: stream.slice(hyphen + 1) };
}

export class OwnerState {
  private readonly kinds: ReadonlyMap<string, AnyStreamKind>;
  private readonly states: Map<string, Map<string, unknown>>;

  /** @param kinds every kind of stream there is; an event of another kind is a fault. */
  constructor(kinds: readonly AnyStreamKind[]) {
    this.kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.states = new Map(kinds.map((kind) => [kind.name, new Map()]));
  }

  /** The state of one stream; the kind's initial state when it has no event or left memory. */
  get<S, C, E>(kind: StreamKind<S, C, E>, id: string): S {
    const found = this.states.get(kind.name)?.get(id);
    return found === undefined ? kind.decider.initial : (found as S);
  }

  /** Every stream of a kind that is in memory, by id, in order of first event. */
  all<S, C, E>(kind: StreamKind<S, C, E>): ReadonlyMap<string, S> {
    return (this.states.get(kind.name) ?? new Map()) as ReadonlyMap<string, S>;
  }

  apply(event: RecordedEvent): void {
    const { name, id } = splitStream(event.stream);
    const kind = this.kinds.get(name);
    const states = this.states.get(name);
    if (kind === undefined || states === undefined) throw new Error(`no such kind of stream: ${name}`);
    const before = states.has(id) ? states.get(id) : kind.decider.initial;
    const after = kind.decider.evolve(before, event as Recorded<unknown>);
    if (kind.gone?.(after) === true) states.delete(id);
    else states.set(id, after);
  }

  /** A second structure with the same states; the states themselves are immutable and shared. */
  clone(): OwnerState {
    const copy = new OwnerState([...this.kinds.values()]);
    for (const [name, states] of this.states) copy.states.set(name, new Map(states));
    return copy;
  }

  /**
   * JSON of every state, for a snapshot: `[id, state]` pairs, since the keys of an object that look like numbers would
   * lose their place in the order. States are plain JSON values by construction.
   */
  toJSON(): JsonObject {
    const out: Record<string, Json> = {};
    for (const [name, states] of this.states) out[name] = [...states] as unknown as Json;
    return out;
  }

  /** Replaces everything with what `toJSON` wrote; kinds the snapshot does not know start empty. */
  restore(snapshot: JsonObject): void {
    for (const name of this.states.keys())
      this.states.set(name, new Map((snapshot[name] ?? []) as unknown as readonly [string, unknown][]));
  }
}
