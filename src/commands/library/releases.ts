/**
 * The release cache: in memory, rebuilt by refresh, and never a base for an install once a refresh failed or the
 * library was edited (06:46-49, 97-123).
 */
import { isKnown, type KnownSource } from '../../aggregates/source.js';
import type { Release, SourceView } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { unlessAborted } from '../../contract/unless-aborted.js';
import { sourceKind } from '../../projections/kinds/source.js';
import type { OwnerContext } from '../context.js';
import type { LibraryListing } from '../ports.js';
import { SERVED, SERVED_POLICY } from './shipped.js';
import type { Sources } from './sources.js';

export type RefreshState = NonNullable<SourceView['refresh']>;

/** The library that the process serves itself has this policy, whatever was recorded when it was first registered. */
export const policyOf = (source: KnownSource): KnownSource['policy'] =>
  source.url === SERVED ? SERVED_POLICY : source.policy;

const unavailable = (message: string): Refusal => refuse('library_unavailable', message);

/** One fetch under way, and the signal of the caller who began it. */
interface Reading {
  readonly outcome: Promise<Either<Refusal, readonly Release[]>>;
  readonly signal: AbortSignal;
}

export class Releases {
  /** Keyed by the state of the source, which every edit replaces: an edited library has no cached release. */
  private readonly cache = new WeakMap<KnownSource, readonly Release[]>();
  private readonly refreshes = new Map<string, RefreshState>();
  private readonly running = new WeakMap<KnownSource, Reading>();

  constructor(
    private readonly context: Pick<OwnerContext, 'store' | 'catalog' | 'clock' | 'log'>,
    private readonly sources: Sources,
  ) {}

  /** What the last refresh of a library found out; undefined before the first one. */
  state(source: KnownSource): RefreshState | undefined {
    return this.refreshes.get(keyOf(source));
  }

  /** The releases of a library as its last successful refresh read them; undefined when there is nothing to stand on. */
  cached(source: KnownSource): readonly Release[] | undefined {
    return this.sources.inUse(source) ? this.cache.get(source) : undefined;
  }

  /**
   * Reads the index of a library again. Refuses with `library_unavailable`; the cached releases are gone then. Calls
   * for one library share one fetch, and each waits no longer than its own signal lets it.
   */
  async refresh(source: KnownSource, signal: AbortSignal): Promise<Either<Refusal, readonly Release[]>> {
    const url = this.sources.address(source);
    if (!this.sources.inUse(source))
      return left(unavailable('The library is turned off or removed, so it was not read.'));
    if (!isRead(source) || url === undefined)
      return left(unavailable('The library is of a kind that this server does not read.'));
    const shared = this.running.get(source);
    if (shared !== undefined) {
      const gaveUp = left(unavailable('The call was given up before the library was read.'));
      const read = await unlessAborted(shared.outcome, signal, gaveUp);
      // Whoever began it gave up, which says nothing about the library.
      const given = isLeft(read) && shared.signal.aborted && !signal.aborted;
      return given ? this.refresh(source, signal) : read;
    }
    const outcome = this.fetch(source, url, signal).finally(() => this.running.delete(source));
    this.running.set(source, { outcome, signal });
    return outcome;
  }

  private async fetch(
    source: KnownSource,
    url: string,
    signal: AbortSignal,
  ): Promise<Either<Refusal, readonly Release[]>> {
    const { id, authReference } = source;
    const reference = authReference === undefined ? {} : { authReference };
    const fetched = await this.context.catalog
      .fetch({ id, url, policy: policyOf(source), ...reference }, signal)
      .catch((fault: unknown) => {
        this.context.log.error({ sourceId: id, fault: String(fault) }, 'Reading a library failed unexpectedly');
        return left(unavailable('The library could not be read.'));
      });
    const edited = this.context.store.visible.get(sourceKind, keyOf(source)) !== source;
    const read = edited ? left(unavailable('The library was changed while it was read. Read it again.')) : fetched;
    this.note(source, read);
    if (!isLeft(read)) return right(this.cache.get(source) ?? []);
    this.context.log.warn({ sourceId: id, reason: read.left.message }, 'A library was not read');
    return read;
  }

  private note(source: KnownSource, read: Either<Refusal, LibraryListing>): void {
    const checkedAt = this.context.clock.now().toISOString();
    const before = this.state(source);
    if (isLeft(read)) {
      this.cache.delete(source);
      const last = before?.lastSuccess === undefined ? {} : { lastSuccess: before.lastSuccess };
      const { message } = read.left;
      this.refreshes.set(keyOf(source), { checkedAt, ...last, count: 0, failed: true, message });
      return;
    }
    const { skipped, skippedKinds } = read.right;
    // A library of backends is no place an add-on is installed from.
    const releases = read.right.releases.filter(({ kind }) => kind === 'backend' || source.kind === 'addon');
    this.cache.set(source, releases);
    this.refreshes.set(keyOf(source), {
      checkedAt,
      lastSuccess: checkedAt,
      count: releases.length,
      failed: false,
      ...(skipped === 0 ? {} : { skipped, skippedKinds }),
    });
  }

  /** Forgets what is known of libraries that are configured no more. */
  forgetRemoved(): void {
    for (const key of this.refreshes.keys())
      if (!isKnown(this.context.store.visible.get(sourceKind, key))) this.refreshes.delete(key);
  }
}

/** True for a source that this server reads as a library index; nothing reads models or galleries here (04:202-211). */
export const isRead = ({ kind, format }: Pick<KnownSource, 'kind' | 'format'>): boolean =>
  kind !== 'model' && format === 'library';

const keyOf = (source: KnownSource): string => `${source.kind}-${source.id}`;

/** The release a caller asked for, exactly: right only when there is one, for this platform, at most once. */
export function select(
  releases: readonly Release[],
  wanted: {
    readonly addonId: string;
    readonly version?: string;
    readonly channel?: string;
    readonly os: string;
    readonly arch: string;
  },
): Either<Refusal, Release> {
  const matches = releases.filter(
    (release) =>
      release.kind === 'addon' &&
      release.id === wanted.addonId &&
      release.os === wanted.os &&
      release.arch === wanted.arch &&
      (wanted.version === undefined ? release.channel === wanted.channel : release.version === wanted.version),
  );
  const [only, second] = matches;
  if (only === undefined || second !== undefined)
    return left(
      refuse(
        'release_not_found',
        only === undefined
          ? 'The library has no such add-on or version for the platform of this server. Nothing was installed.'
          : 'The library lists more than one release that fits, so none was chosen. Nothing was installed.',
      ),
    );
  // Whatever the index said about a selection is replaced by what was asked for.
  return right({ ...only, selection: wanted.version ?? wanted.channel ?? '' });
}
