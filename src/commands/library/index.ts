/** The catalog of the owner: configured libraries, their refresh, search, and resolution of one release (06:7-128). */
import type { KnownSource } from '../../aggregates/source.js';
import type { Release, SourcePolicy, SourceView } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { OwnerContext } from '../context.js';
import { policyOf, Releases, select } from './releases.js';
import { clashes, type Listing, type SearchQuery, search } from './search.js';
import { type NewSource, type ShippedSource, Sources } from './sources.js';

export type { NewSource, ShippedSource } from './sources.js';

export interface LibraryOptions {
  readonly shipped?: readonly ShippedSource[];
  /** Names of the credentials a library may refer to. */
  readonly credentials?: ReadonlySet<string>;
}

/** A release that may be staged, with the policy and the identity of its library at this moment. */
export interface Resolved {
  readonly release: Release;
  readonly policy: SourcePolicy;
  readonly sourceIdentity: string;
}

/** The startup refresh as a whole ends after this (06:294-297). */
export const STARTUP_REFRESH_MS = 30_000;
const AT_ONCE = 4;

/** What the catalog needs of the owner; a command line without a server has no more than this. */
export type LibraryContext = Pick<OwnerContext, 'store' | 'catalog' | 'clock' | 'log' | 'host'>;

export class Library {
  readonly sources: Sources;
  private readonly releases: Releases;

  constructor(
    private readonly context: LibraryContext,
    options: LibraryOptions = {},
  ) {
    this.sources = new Sources(context.store, options.shipped ?? [], options.credentials ?? new Set());
    this.releases = new Releases(context, this.sources);
  }

  /** Adds a library; refuses a taken id or address and settings that break a rule. */
  async add(source: NewSource): Promise<Either<Refusal, SourceView>> {
    return this.viewAfter(await this.sources.apply(this.sources.add(source)), source.id);
  }

  async enable(id: string): Promise<Either<Refusal, SourceView>> {
    return this.viewAfter(await this.sources.switchNow(id, 'enable'), id);
  }

  async disable(id: string): Promise<Either<Refusal, SourceView>> {
    return this.viewAfter(await this.sources.switchNow(id, 'disable'), id);
  }

  /** A library that was added is deleted; a shipped one leaves a tombstone. Installed add-ons are not touched. */
  async remove(id: string): Promise<Either<Refusal, void>> {
    const done = await this.sources.switchNow(id, 'remove');
    this.releases.forgetRemoved();
    return done;
  }

  /** Every library in the order of their ids, tombstones included; never a secret. */
  list(): readonly SourceView[] {
    return this.sources.list().map((source) => this.view(source));
  }

  find(id: string): SourceView | undefined {
    const found = this.sources.find(id);
    return found === undefined ? undefined : this.view(found);
  }

  /** Reads one library again. Refuses an unknown id with 404, and with `library_unavailable` when it was not read. */
  async refresh(id: string, signal: AbortSignal): Promise<Either<Refusal, NonNullable<SourceView['refresh']>>> {
    const source = this.sources.find(id);
    if (source === undefined) return left(refuse('not_found', 'There is no library with this id.'));
    const read = await this.releases.refresh(source, signal);
    const state = this.releases.state(source);
    if (isLeft(read)) return read;
    return state === undefined ? left(refuse('library_unavailable', 'The library could not be read.')) : right(state);
  }

  /** Reads every enabled library once, four at a time and 30 s in all; a library that fails costs a log line. */
  async refreshAll(stop: AbortSignal, onRead: () => void = () => {}): Promise<void> {
    const deadline = new AbortController();
    const cancel = this.context.clock.after(STARTUP_REFRESH_MS, () => deadline.abort());
    const signal = AbortSignal.any([stop, deadline.signal]);
    const waiting = this.sources.list().filter((source) => source.status === 'present' && source.enabled);
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
        await this.releases.refresh(next, signal);
        onRead();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    cancel();
  }

  /** Searches what the enabled libraries listed at their last successful refresh. */
  search(query: Omit<SearchQuery, 'os' | 'arch'>): { releases: readonly Release[]; total: number } {
    return search(this.listings(), { ...query, os: this.context.host.os, arch: this.context.host.arch });
  }

  /** One cached release for the platform of this owner. */
  details(sourceId: string, addonId: string, version: string): Either<Refusal, Release> {
    const source = this.sources.find(sourceId);
    const { os, arch } = this.context.host;
    const cached = source === undefined ? undefined : this.releases.cached(source);
    const found = select(cached ?? [], { addonId, version, os, arch });
    return isLeft(found) ? left(refuse('not_found', 'The library lists no such release for this server.')) : found;
  }

  /**
   * Reads the library anew and picks the one release that was asked for; a cached index never resolves. Refuses with
   * `library_unavailable`, `library_conflict` or `release_not_found` (05:166-170).
   */
  async resolve(
    wanted: { sourceId: string; addonId: string; version?: string; channel?: string },
    signal: AbortSignal,
  ): Promise<Either<Refusal, Resolved>> {
    const source = this.sources.find(wanted.sourceId);
    if (source?.kind !== 'addon')
      return left(refuse('library_unavailable', 'There is no such library of add-ons. Nothing was installed.'));
    const read = await this.releases.refresh(source, signal);
    if (isLeft(read)) return read;
    if (clashes(this.listings(), source, { kind: 'addon', id: wanted.addonId }))
      return left(
        refuse(
          'library_conflict',
          'Two enabled libraries list this add-on, so neither was chosen. Nothing was installed. Turn one of them off.',
        ),
      );
    const { os, arch } = this.context.host;
    const release = select(read.right, { ...wanted, os, arch });
    if (isLeft(release)) return release;
    return right({ release: release.right, policy: policyOf(source), sourceIdentity: this.sources.identity(source) });
  }

  private listings(): readonly Listing[] {
    return this.sources.list().flatMap((source) => {
      const releases = this.releases.cached(source);
      return releases === undefined ? [] : [{ source, releases }];
    });
  }

  private viewAfter(done: Either<Refusal, void>, id: string): Either<Refusal, SourceView> {
    if (isLeft(done)) return done;
    const view = this.find(id);
    return view === undefined ? left(refuse('not_found', 'The library was removed meanwhile.')) : right(view);
  }

  private view(source: KnownSource): SourceView {
    const { id, kind, name, enabled, format, builtin, status, authReference } = source;
    const refresh = this.releases.state(source);
    return {
      id,
      kind,
      name,
      url: this.sources.address(source) ?? '',
      enabled,
      format,
      builtin,
      ...(status === 'removed' ? { removed: true as const } : {}),
      policy: { ...policyOf(source) },
      ...(authReference === undefined ? {} : { authReference }),
      ...(refresh === undefined ? {} : { refresh: { ...refresh } }),
    };
  }
}
