/** The configured libraries: adding, changing, switching and removing them (06:20-61; 04:133-146; wire, "Sources"). */
import { isKnown, type KnownSource, type SourceCommand, type SourceSettings } from '../../aggregates/source.js';
import { type Either, isLeft, left } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { sourceKind } from '../../projections/kinds/source.js';
import type { OwnerState } from '../../projections/owner-state.js';
import type { Change, Store } from '../store.js';
import { checkSettings } from './source-rules.js';

/** A library that ships with the product; its address is only known to the running process. */
export interface ShippedSource {
  readonly id: string;
  readonly kind: KnownSource['kind'];
  readonly name: string;
  readonly url: string;
}

export interface NewSource {
  readonly kind: KnownSource['kind'];
  readonly id: string;
  readonly settings: SourceSettings;
  readonly enabled: boolean;
}

const NOT_FOUND = refuse('not_found', 'There is no library with this id. Nothing changed.');

/** Stands in the journal for the address of a shipped library. */
const SHIPPED_ADDRESS = 'shipped';

/** An operator configures a handful; the bound keeps refresh and search finite. */
const MOST_SOURCES = 64;

export class Sources {
  constructor(
    private readonly store: Store,
    private readonly shipped: readonly ShippedSource[],
    /** Names of the credentials the owner configured. */
    private readonly credentials: ReadonlySet<string>,
  ) {}

  /** Registers what ships with the product; what a person removed stays removed. */
  async ship(): Promise<Either<Refusal, void>> {
    const changes: Change[] = [];
    for (const { id, kind, name } of this.shipped) {
      const policy = { requireSignature: false, allowLoopbackHTTP: true };
      const settings = { name, url: SHIPPED_ADDRESS, format: 'library' as const, policy };
      const decided = this.store.decide(sourceKind, `${kind}-${id}`, { type: 'ship', kind, id, settings });
      if (isLeft(decided)) return decided;
      changes.push(decided.right);
    }
    return this.store.commit({ changes });
  }

  /** Every configured library in the order of their ids, tombstones included; values, never the state itself. */
  list(state: OwnerState = this.store.visible): readonly KnownSource[] {
    const known = [...state.all(sourceKind).values()].filter(isKnown);
    return known.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.kind < b.kind ? -1 : 1));
  }

  /** The library with this id, tombstones included. */
  find(id: string, state: OwnerState = this.store.visible): KnownSource | undefined {
    return this.list(state).find((source) => source.id === id);
  }

  /** Where a library is read from now; undefined for a shipped one that this process does not serve. */
  address(source: KnownSource): string | undefined {
    if (!source.builtin) return source.url;
    return this.shipped.find(({ id, kind }) => id === source.id && kind === source.kind)?.url;
  }

  /** What a library is trusted as: its address, or its id where the address moves (wire, "Sources"). */
  identity(source: KnownSource): string {
    return source.builtin ? source.id : source.url;
  }

  /** What adding this library changes; refuses a taken id, a known address and settings that break a rule. */
  add(source: NewSource): Either<Refusal, Change> {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(source.id))
      return left(refuse('invalid_request', 'The id of a library is lower-case letters, digits and hyphens.'));
    const checked = checkSettings(source.settings, this.credentials);
    if (isLeft(checked)) return checked;
    const known = this.list(this.store.ahead);
    if (known.some(({ id }) => id === source.id))
      return left(refuse('operation_conflict', 'A library with this id exists. Nothing changed. Choose another id.'));
    if (known.some(({ kind, url }) => kind === source.kind && url === source.settings.url))
      return left(refuse('operation_conflict', 'A library of this kind with this address exists. Nothing changed.'));
    if (known.length >= MOST_SOURCES)
      return left(
        refuse('quota_reached', `There are ${MOST_SOURCES} libraries. Remove one first.`, { code: 'sources' }),
      );
    return this.decide(source.kind, source.id, { type: 'add', ...source });
  }

  /** What replacing the settings of a library changes. */
  change(source: KnownSource, settings: SourceSettings): Either<Refusal, Change> {
    const checked = checkSettings(settings, this.credentials);
    if (isLeft(checked)) return checked;
    const twin = this.list(this.store.ahead).find(
      (other) => other.kind === source.kind && other.url === settings.url && other.id !== source.id,
    );
    if (twin !== undefined)
      return left(refuse('operation_conflict', 'A library of this kind with this address exists. Nothing changed.'));
    return this.decide(source.kind, source.id, { type: 'change', settings });
  }

  /** What switching or removing a library changes; 404 for an unknown id. */
  switch(id: string, type: 'enable' | 'disable' | 'remove'): Either<Refusal, Change> {
    const found = this.find(id, this.store.ahead);
    return found === undefined ? left(NOT_FOUND) : this.decide(found.kind, id, { type });
  }

  private decide(kind: string, id: string, command: SourceCommand): Either<Refusal, Change> {
    return this.store.decide(sourceKind, `${kind}-${id}`, command);
  }

  /** Commits what one of the methods above decided, in the same synchronous step. */
  async apply(change: Either<Refusal, Change>): Promise<Either<Refusal, void>> {
    return isLeft(change) ? change : this.store.commit({ changes: [change.right] });
  }

  async switchNow(id: string, type: 'enable' | 'disable' | 'remove'): Promise<Either<Refusal, void>> {
    return this.apply(this.switch(id, type));
  }
}
