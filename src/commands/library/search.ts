/** Search over the cached releases, and which library a listed entry counts for (06:97-107; 04:151-163). */
import type { KnownSource } from '../../aggregates/source.js';
import type { Release } from '../../contract/api.js';

export interface Listing {
  readonly source: KnownSource;
  readonly releases: readonly Release[];
}

const keyOf = (release: Release): string => `${release.kind} ${release.id}`;

/** True when an added library lists the entry too: it wins over a shipped one, and of two added ones none wins. */
export function clashes(
  listings: readonly Listing[],
  source: KnownSource,
  release: Pick<Release, 'kind' | 'id'>,
): boolean {
  return listings.some(
    (other) =>
      other.source.id !== source.id &&
      !other.source.builtin &&
      other.releases.some(({ kind, id }) => kind === release.kind && id === release.id),
  );
}

export interface SearchQuery {
  readonly text: string;
  readonly kind: 'addon' | 'backend' | 'all';
  readonly sourceId?: string;
  readonly offset: number;
  readonly limit: number;
  readonly os: string;
  readonly arch: string;
}

const order = (a: Release, b: Release): number => {
  const [left, right] = [a, b].map((r) => [r.sourceId, r.kind, r.id, r.version, r.channel ?? '', r.digest]);
  for (const [index, part] of (left ?? []).entries()) {
    const other = right?.[index] ?? '';
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
};

/** Matches names, ids and descriptions, whatever their case, for one platform; `total` counts what matched. */
export function search(
  listings: readonly Listing[],
  query: SearchQuery,
): { releases: readonly Release[]; total: number } {
  const needle = query.text.toLowerCase();
  const added = new Set(
    listings.filter(({ source }) => !source.builtin).flatMap(({ releases }) => releases.map(keyOf)),
  );
  const matches = listings
    .filter(({ source }) => query.sourceId === undefined || source.id === query.sourceId)
    .flatMap(({ source, releases }) =>
      // An added library wins over a shipped one, so the shipped entry is not offered at all.
      source.builtin ? releases.filter((release) => !added.has(keyOf(release))) : releases,
    )
    .filter(
      (release) =>
        (query.kind === 'all' || release.kind === query.kind) &&
        release.os === query.os &&
        release.arch === query.arch &&
        [release.name, release.id, release.description ?? ''].some((text) => text.toLowerCase().includes(needle)),
    )
    .sort(order);
  return { releases: matches.slice(query.offset, query.offset + query.limit), total: matches.length };
}
