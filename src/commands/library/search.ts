/** Search over the cached releases of the libraries in use (06:97-107; 12:359). */
import type { Release } from '../../contract/api.js';
import { Conflicts, type Listing } from './conflicts.js';

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

/** A meta backend has no platform of its own and is listed for every one (04:279-281). */
export const fits = (release: Pick<Release, 'os' | 'arch'>, host: { os: string; arch: string }): boolean =>
  (release.os === '' && release.arch === '') || (release.os === host.os && release.arch === host.arch);

/** Matches names, ids and descriptions, whatever their case, for one platform; `total` counts what matched. */
export function search(
  listings: readonly Listing[],
  query: SearchQuery,
): { releases: readonly Release[]; total: number } {
  const needle = query.text.toLowerCase();
  const conflicts = new Conflicts(listings);
  const matches = listings
    .filter(({ source }) => query.sourceId === undefined || source.id === query.sourceId)
    .flatMap(({ source, releases }) =>
      // An added library wins over a shipped one, so the shipped entry is not offered at all.
      releases.filter((release) => conflicts.of(source, release) !== 'overridden'),
    )
    .filter(
      (release) =>
        (query.kind === 'all' || release.kind === query.kind) &&
        fits(release, query) &&
        [release.name, release.id, release.description ?? ''].some((text) => text.toLowerCase().includes(needle)),
    )
    .sort(order);
  return { releases: matches.slice(query.offset, query.offset + query.limit), total: matches.length };
}
