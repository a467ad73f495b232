/** Which library counts for an entry that several of them list: never chosen silently (04:151-163). */
import type { KnownSource } from '../../aggregates/source.js';
import type { Release } from '../../contract/api.js';

/** What one library that is read as an index listed at its last successful refresh. */
export interface Listing {
  readonly source: KnownSource;
  readonly releases: readonly Release[];
}

type Entry = Pick<Release, 'kind' | 'id'>;

const keyOf = ({ kind, id }: Entry): string => `${kind} ${id}`;

/** `overridden`: a library that was added wins over this default. `conflict`: of two that were added none wins. */
export type Clash = 'overridden' | 'conflict';

export class Conflicts {
  /** Only the entries that an added library lists: nothing else can clash. */
  private readonly added = new Map<string, KnownSource[]>();

  constructor(private readonly listings: readonly Listing[]) {
    for (const { source, releases } of listings) {
      if (source.builtin) continue;
      for (const key of new Set(releases.map(keyOf))) this.added.set(key, [...(this.added.get(key) ?? []), source]);
    }
  }

  /** Whether an entry of this library must not be used, and why; undefined when it may. */
  of(source: KnownSource, entry: Entry): Clash | undefined {
    if (this.rivals(source, entry).length === 0) return undefined;
    return source.builtin ? 'overridden' : 'conflict';
  }

  /** What the list of sources says at a library that clashes (04:160-161). */
  messageFor(source: KnownSource): string | undefined {
    const listing = this.listings.find((other) => other.source === source);
    const entries = new Map((listing?.releases ?? []).map((entry) => [keyOf(entry), entry]));
    const clashing = [...entries.values()].filter((entry) => this.of(source, entry) !== undefined);
    if (clashing.length === 0) return undefined;
    const rivals = new Set(clashing.flatMap((entry) => this.rivals(source, entry).map(({ id }) => id)));
    const what = named(clashing.map(({ id }) => id));
    const who = named([...rivals]);
    return source.builtin
      ? `Not used for ${what}: ${who} lists the same and was added here, so it comes first.`
      : `${who} lists ${what} too, so none of them is installed. Turn one of the sources off, or remove it.`;
  }

  private rivals(source: KnownSource, entry: Entry): readonly KnownSource[] {
    return (this.added.get(keyOf(entry)) ?? []).filter(({ id }) => id !== source.id);
  }
}

const MOST_NAMES = 3;

/** At most three names in their order, and how many more there are. */
function named(names: readonly string[]): string {
  const sorted = [...new Set(names)].sort();
  const more = sorted.length - MOST_NAMES;
  return more > 0 ? `${sorted.slice(0, MOST_NAMES).join(', ')} and ${more} more` : sorted.join(', ');
}
