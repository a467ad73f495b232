/** The catalog of the owner: configured libraries, their refresh, search, and resolution of one release (06:7-128). */
import type { KnownSource } from '../../aggregates/source.js';
import type { Actor } from '../../contract/actor.js';
import type { Release, SourcePolicy, SourceView } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { OwnerContext } from '../context.js';
import { type ChosenBackend, selectBackend, type WantedBackend } from './backends.js';
import { type Clash, Conflicts, type Listing } from './conflicts.js';
import { isRead, policyOf, Releases, select } from './releases.js';
import { type SearchQuery, search } from './search.js';
import type { ShippedSource } from './shipped.js';
import { type NewSource, Sources } from './sources.js';

export type { ShippedSource } from './shipped.js';
export type { NewSource } from './sources.js';

export interface LibraryOptions {
  readonly shipped?: readonly ShippedSource[];
  /** Names of the credentials a library may refer to. */
  readonly credentials?: ReadonlySet<string>;
  /** Whether the defaults are used as long as nobody switched them; true when left out. */
  readonly officialLibraries?: boolean;
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

const GONE = refuse('not_found', 'The library was removed meanwhile.');
const PATTERN = refuse(
  'package_unverified',
  'The library names its signer by a pattern, and an add-on needs an exact signer. Nothing was installed.',
);
const CLASHES: Readonly<Record<Clash, string>> = {
  conflict: 'Two enabled libraries list this, so neither was chosen. Nothing was installed. Turn one of them off.',
  overridden:
    'A library that was added here lists this too and comes before this one. Nothing was installed. Install it from that library, or turn that one off.',
};

export class Library {
  readonly sources: Sources;
  private readonly releases: Releases;

  constructor(
    private readonly context: LibraryContext,
    options: LibraryOptions = {},
  ) {
    const { shipped = [], credentials = new Set<string>(), officialLibraries = true } = options;
    this.sources = new Sources(context.store, { shipped, credentials, officialLibraries });
    this.releases = new Releases(context, this.sources);
  }

  /** Adds a library; refuses a taken id or address and settings that break a rule. */
  async add(source: NewSource, actor?: Actor): Promise<Either<Refusal, SourceView>> {
    const done = await this.sources.apply(this.sources.add(source), actor);
    if (isLeft(done)) return done;
    // The address of a removed default brings that one back, under its own id.
    const added = this.list().find(({ kind, url }) => kind === source.kind && url === source.settings.url);
    return added === undefined ? left(GONE) : right(added);
  }

  async enable(id: string, actor?: Actor): Promise<Either<Refusal, SourceView>> {
    return this.viewAfter(await this.sources.apply(this.sources.switch(id, 'enable'), actor), id);
  }

  async disable(id: string, actor?: Actor): Promise<Either<Refusal, SourceView>> {
    return this.viewAfter(await this.sources.apply(this.sources.switch(id, 'disable'), actor), id);
  }

  /** A library that was added is deleted; a shipped one leaves a tombstone. Installed add-ons are not touched. */
  async remove(id: string, actor?: Actor): Promise<Either<Refusal, void>> {
    const done = await this.sources.apply(this.sources.switch(id, 'remove'), actor);
    this.releases.forgetRemoved();
    return done;
  }

  /** Every library in the order of their ids, tombstones included; never a secret. */
  list(): readonly SourceView[] {
    const conflicts = new Conflicts(this.listings());
    return this.sources.list().map((source) => this.view(source, conflicts));
  }

  find(id: string): SourceView | undefined {
    const found = this.sources.find(id);
    return found === undefined ? undefined : this.view(found, new Conflicts(this.listings()));
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

  /**
   * Reads every library in use once, four at a time and 30 s in all; a library that fails costs a log line. The defaults that
   * are read over the network for backends wait until somebody asks: a fresh server sends nothing unasked.
   */
  async refreshAll(
    stop: AbortSignal,
    onRead: () => void = () => {},
    only: (source: KnownSource) => boolean = () => true,
  ): Promise<void> {
    const deadline = new AbortController();
    const cancel = this.context.clock.after(STARTUP_REFRESH_MS, () => deadline.abort());
    const signal = AbortSignal.any([stop, deadline.signal]);
    const waiting = this.sources
      .list()
      .filter(
        (source) =>
          this.sources.inUse(source) && isRead(source) && (source.kind === 'addon' || !source.builtin) && only(source),
      );
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
    // A pattern is for backends, which two workflows may sign; an add-on has one signer, named exactly (04:306-308).
    if (policyOf(source).identityRegex !== undefined) return left(PATTERN);
    const read = await this.releases.refresh(source, signal);
    if (isLeft(read)) return read;
    const clash = new Conflicts(this.listings()).of(source, { kind: 'addon', id: wanted.addonId });
    if (clash !== undefined) return left(refuse('library_conflict', CLASHES[clash]));
    const { os, arch } = this.context.host;
    const release = select(read.right, { ...wanted, os, arch });
    if (isLeft(release)) return release;
    return right({ release: release.right, policy: policyOf(source), sourceIdentity: this.sources.identity(source) });
  }

  /**
   * Reads the library anew and picks the image of one backend. Refuses with `library_unavailable`, `library_conflict` or
   * `release_not_found`.
   */
  async resolveBackend(
    wanted: WantedBackend & { readonly sourceId: string },
    signal: AbortSignal,
  ): Promise<Either<Refusal, { readonly chosen: ChosenBackend; readonly policy: SourcePolicy }>> {
    const source = this.sources.find(wanted.sourceId);
    if (source === undefined)
      return left(refuse('library_unavailable', 'There is no such library. Nothing was installed.'));
    const read = await this.releases.refresh(source, signal);
    if (isLeft(read)) return read;
    const chosen = selectBackend(read.right, wanted);
    if (isLeft(chosen)) return chosen;
    const conflicts = new Conflicts(this.listings());
    const clash = [wanted.name, chosen.right.release.id]
      .map((id) => conflicts.of(source, { kind: 'backend', id }))
      .find((found) => found !== undefined);
    if (clash !== undefined) return left(refuse('library_conflict', CLASHES[clash]));
    return right({ chosen: chosen.right, policy: policyOf(source) });
  }

  /** What the last refresh of a library in use read; nothing is sent. */
  cachedReleases(sourceId: string): readonly Release[] {
    const source = this.sources.find(sourceId);
    return (source === undefined ? undefined : this.releases.cached(source)) ?? [];
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
    return view === undefined ? left(GONE) : right(view);
  }

  private view(source: KnownSource, conflicts: Conflicts): SourceView {
    const { id, kind, name, format, builtin, status, authReference } = source;
    const refresh = this.releases.state(source);
    const conflict = conflicts.messageFor(source);
    return {
      id,
      kind,
      name,
      url: this.sources.address(source) ?? '',
      format,
      enabled: this.sources.inUse(source),
      default: builtin,
      removed: status === 'removed',
      suspended: this.sources.suspended(source),
      ...(conflict === undefined ? {} : { conflict }),
      policy: { ...policyOf(source) },
      ...(authReference === undefined ? {} : { authReference }),
      ...(refresh === undefined ? {} : { refresh: { ...refresh } }),
    };
  }
}
