/** The configured libraries: adding, changing, switching and removing them (06:20-61; 04:133-146; wire, "Sources"). */
import { isKnown, type KnownSource, type SourceCommand, type SourceSettings } from '../../aggregates/source.js';
import type { Actor } from '../../contract/actor.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { librariesKind } from '../../projections/kinds/libraries.js';
import { sourceKind } from '../../projections/kinds/source.js';
import type { OwnerState } from '../../projections/owner-state.js';
import type { Change, Store } from '../store.js';
import { isShippedAddress, SERVED, type ShippedSource } from './shipped.js';
import { checkSettings } from './source-rules.js';

export interface NewSource {
  readonly kind: KnownSource['kind'];
  readonly id: string;
  readonly settings: SourceSettings;
  readonly enabled: boolean;
}

export interface SourcesOptions {
  readonly shipped: readonly ShippedSource[];
  /** Names of the credentials the owner configured. */
  readonly credentials: ReadonlySet<string>;
  /** Whether defaults are used as long as nobody switched them (`--official-libraries`). */
  readonly officialLibraries: boolean;
}

const NOT_FOUND = refuse('not_found', 'There is no library with this id. Nothing changed.');

/** An operator configures a handful; the bound keeps refresh and search finite. */
const MOST_SOURCES = 64;

export class Sources {
  constructor(
    private readonly store: Store,
    private readonly options: SourcesOptions,
  ) {}

  /**
   * What the start of an owner changes: the first one registers the defaults, a later one moves those whose address another
   * build chose, and none adds a source again (04:23-27, 70-75; decisions, 01 to 05, 7).
   */
  startChanges(first: boolean): Either<Refusal, readonly Change[]> {
    const changes: Change[] = [];
    for (const { id, kind, enabled, servedAt, ...settings } of this.options.shipped) {
      const known = this.store.ahead.get(sourceKind, `${kind}-${id}`);
      const moves = isKnown(known) && known.builtin && isShippedAddress(known.url) && isShippedAddress(settings.url);
      if (!moves && !(first && !isKnown(known))) continue;
      const command: SourceCommand = isKnown(known)
        ? { type: 'move', settings }
        : { type: 'ship', kind, id, settings, enabled };
      const decided = this.decide(kind, id, command);
      if (isLeft(decided)) return decided;
      changes.push(decided.right);
    }
    return right(changes);
  }

  /** Every configured library in the order of their ids, tombstones included; values, never the state itself. */
  list(state: OwnerState = this.store.visible): readonly KnownSource[] {
    const known = [...state.all(sourceKind).values()].filter(isKnown);
    return known.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.kind < b.kind ? -1 : 1));
  }

  /** The same with everything decided so far: for decisions only. */
  known(): readonly KnownSource[] {
    return this.list(this.store.ahead);
  }

  /** The library with this id, tombstones included. */
  find(id: string, state: OwnerState = this.store.visible): KnownSource | undefined {
    return this.list(state).find((source) => source.id === id);
  }

  /** Whether the defaults of all kinds are used (04:163-176). */
  officialOn(state: OwnerState = this.store.visible): boolean {
    return state.get(librariesKind, '').official ?? this.options.officialLibraries;
  }

  /** True while the official libraries are off and this is one of them; its own state is kept. */
  suspended(source: KnownSource): boolean {
    return source.builtin && !this.officialOn();
  }

  /** Whether the library is read, searched and installed from. */
  inUse(source: KnownSource): boolean {
    return source.status === 'present' && source.enabled && !this.suspended(source);
  }

  switchOfficial(on: boolean): Either<Refusal, Change> {
    return this.store.decide(librariesKind, '', { type: 'switch-official', on });
  }

  /** Where a library is read from now; undefined for one that this process would have to serve and does not. */
  address(source: KnownSource): string | undefined {
    if (source.url !== SERVED) return source.url;
    return this.options.shipped.find(({ id, kind }) => id === source.id && kind === source.kind)?.servedAt;
  }

  /** What a library is trusted as: its address, or its id where the address moves with the build (wire, "Sources"). */
  identity(source: KnownSource): string {
    return source.builtin && isShippedAddress(source.url) ? source.id : source.url;
  }

  /**
   * What adding this library changes; refuses a taken id, a known address and settings that break a rule. The address of a
   * removed default brings that default back (04:74-75).
   */
  add(source: NewSource): Either<Refusal, Change> {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(source.id))
      return left(refuse('invalid_request', 'The id of a library is lower-case letters, digits and hyphens.'));
    if (source.kind === 'addon' && source.settings.format === 'gallery')
      return left(refuse('invalid_request', 'A source of add-ons is a library index. Nothing changed.'));
    const checked = checkSettings(source.settings, this.options.credentials);
    if (isLeft(checked)) return checked;
    const known = this.known();
    const twin = known.find(({ kind, url }) => kind === source.kind && url === source.settings.url);
    if (twin?.status === 'removed') return this.decide(twin.kind, twin.id, { type: 'enable' });
    if (known.some(({ id }) => id === source.id))
      return left(refuse('operation_conflict', 'A library with this id exists. Nothing changed. Choose another id.'));
    if (twin !== undefined)
      return left(refuse('operation_conflict', 'A library of this kind with this address exists. Nothing changed.'));
    if (known.length >= MOST_SOURCES)
      return left(
        refuse('quota_reached', `There are ${MOST_SOURCES} libraries. Remove one first.`, { code: 'sources' }),
      );
    return this.decide(source.kind, source.id, { type: 'add', ...source });
  }

  /** What replacing the settings of a library changes. */
  change(source: KnownSource, settings: SourceSettings): Either<Refusal, Change> {
    const checked = checkSettings(settings, this.options.credentials);
    if (isLeft(checked)) return checked;
    const twin = this.known().find(
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
  async apply(change: Either<Refusal, Change>, actor?: Actor): Promise<Either<Refusal, void>> {
    if (isLeft(change)) return change;
    return this.store.commit({ changes: [change.right] }, actor === undefined ? {} : { actor });
  }
}
