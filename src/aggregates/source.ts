/** A configured library: the only place its identity, address and verification policy come from (06:20-61; 04:133-146). */
import type { SourcePolicy } from '../contract/api.js';
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { SourceEvent } from '../events/catalogue/source.js';
import type { Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

export type { SourceEvent } from '../events/catalogue/source.js';

// ---- states --------------------------------------------------------------------------------------------------

export interface SourceSettings {
  readonly name: string;
  readonly url: string;
  readonly format: 'library' | 'gallery';
  readonly policy: SourcePolicy;
  readonly authReference?: string;
}

export type Source =
  | { readonly status: 'none' | 'deleted' }
  | (SourceSettings & {
      /** `removed`: the tombstone of a built-in source. */
      readonly status: 'present' | 'removed';
      readonly kind: 'addon' | 'backend' | 'model';
      readonly id: string;
      readonly enabled: boolean;
      readonly builtin: boolean;
    });

export type KnownSource = Exclude<Source, { status: 'none' | 'deleted' }>;

export const isKnown = (source: Source): source is KnownSource =>
  source.status === 'present' || source.status === 'removed';

// ---- evolve --------------------------------------------------------------------------------------------------

function evolve(state: Source, event: Recorded<SourceEvent>): Source {
  if (event.type === 'SourceAdded') return { ...event.payload, status: 'present' };
  if (!isKnown(state)) return state;
  switch (event.type) {
    case 'SourceChanged': {
      const { authReference, ...rest } = state;
      return { ...rest, ...event.payload };
    }
    case 'SourceEnabled':
      return { ...state, status: 'present', enabled: true };
    case 'SourceDisabled':
      return { ...state, enabled: false };
    case 'DefaultSourceRemoved':
      return { ...state, status: 'removed', enabled: false };
    case 'SourceDeleted':
      return { status: 'deleted' };
    default: {
      const never: never = event;
      return never;
    }
  }
}

// ---- commands ------------------------------------------------------------------------------------------------

export type SourceCommand =
  | {
      readonly type: 'add';
      readonly kind: KnownSource['kind'];
      readonly id: string;
      readonly settings: SourceSettings;
      readonly enabled: boolean;
    }
  /** Registers a source that ships with the product, once in the life of a root. */
  | {
      readonly type: 'ship';
      readonly kind: KnownSource['kind'];
      readonly id: string;
      readonly settings: SourceSettings;
      readonly enabled: boolean;
    }
  | { readonly type: 'change'; readonly settings: SourceSettings }
  /** Gives a source that ships with the product what another build chose; the credential it names stays. */
  | { readonly type: 'move'; readonly settings: SourceSettings }
  | { readonly type: 'enable' }
  | { readonly type: 'disable' }
  | { readonly type: 'remove' };

// ---- decide --------------------------------------------------------------------------------------------------

const UNKNOWN = refuse('not_found', 'There is no library with this id. Nothing changed.');

type Decision = Either<Refusal, readonly SourceEvent[]>;

function add(command: Extract<SourceCommand, { type: 'add' | 'ship' }>, builtin: boolean): Decision {
  const { kind, id, settings, enabled } = command;
  return right([{ type: 'SourceAdded', payload: { kind, id, ...settings, enabled, builtin } }]);
}

function moved(state: KnownSource, { name, url, format, policy }: SourceSettings): readonly SourceEvent[] {
  const { authReference } = state;
  // The same build again changes nothing, so a signer that was edited stays.
  if (state.url === url) return [];
  const reference = authReference === undefined ? {} : { authReference };
  return [{ type: 'SourceChanged', payload: { name, url, format, policy, ...reference } }];
}

function decide(state: Source, command: SourceCommand): Decision {
  if (command.type === 'ship') return isKnown(state) ? right([]) : add(command, true);
  if (command.type === 'add')
    return isKnown(state)
      ? left(refuse('operation_conflict', 'A library with this id exists. Nothing changed. Choose another id.'))
      : add(command, false);
  if (!isKnown(state)) return left(UNKNOWN);
  const present = state.status === 'present';
  switch (command.type) {
    case 'change':
      return right([{ type: 'SourceChanged', payload: command.settings }]);
    case 'move':
      return right(moved(state, command.settings));
    case 'enable':
      return right(present && state.enabled ? [] : [{ type: 'SourceEnabled', payload: {} }]);
    case 'disable':
      // A tombstone is off already.
      return right(state.enabled ? [{ type: 'SourceDisabled', payload: {} }] : []);
    case 'remove':
      if (!state.builtin) return right([{ type: 'SourceDeleted', payload: {} }]);
      return right(present ? [{ type: 'DefaultSourceRemoved', payload: {} }] : []);
    default: {
      const never: never = command;
      return never;
    }
  }
}

export const source: Decider<Source, SourceCommand, SourceEvent> = { initial: { status: 'none' }, decide, evolve };
