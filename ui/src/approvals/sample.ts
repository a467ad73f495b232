/** Reads the forms that samples of effects commonly have, so that they can be drawn as what they mean. */
import type { ProposalView } from '../../../src/contract/api.ts';
import type { Row } from '../parts/grid.tsx';

export type Entry = ProposalView['effects']['sample'][number];
type Members = { readonly [name: string]: unknown };

/** An entry with a before, an after or both; the other members say what it is about. */
export interface ChangeEntry {
  readonly about: Members;
  readonly before: unknown;
  readonly after: unknown;
}

export type Reading =
  | { readonly form: 'rows'; readonly rows: readonly Row[]; readonly sign: 'added' | 'removed' | undefined }
  | { readonly form: 'entries'; readonly entries: readonly (ChangeEntry | Entry)[] };

const LONGEST_CELL = 200;
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const isFlat = (value: unknown): value is Members =>
  isMembers(value) && Object.values(value).every((cell) => isPlain(cell) && String(cell).length <= LONGEST_CELL);

export const isChangeEntry = (entry: ChangeEntry | Entry): entry is ChangeEntry =>
  isMembers(entry) && 'about' in entry && 'after' in entry && 'before' in entry;

function changeOf(entry: Entry): ChangeEntry | undefined {
  if (!isMembers(entry) || !('before' in entry || 'after' in entry)) return undefined;
  const { before, after, ...about } = entry;
  return isFlat(about) ? { about, before, after } : undefined;
}

/** Rows where every entry is one flat row that stays, comes or goes; else each entry for itself. */
export function readSample(sample: readonly Entry[]): Reading {
  if (sample.every((entry) => changeOf(entry) === undefined && isFlat(entry))) {
    return { form: 'rows', rows: sample as unknown as readonly Row[], sign: undefined };
  }
  const changes = sample.map(changeOf);
  for (const [side, other, sign] of [
    ['after', 'before', 'added'],
    ['before', 'after', 'removed'],
  ] as const) {
    if (changes.every((change) => change !== undefined && change[other] === undefined && isFlat(change[side]))) {
      const rows = changes.map((change) => ({ ...change?.about, ...(change?.[side] as Members) }));
      return { form: 'rows', rows, sign };
    }
  }
  return { form: 'entries', entries: sample.map((entry, at) => changes[at] ?? entry) };
}

export interface Field {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields that differ, and those that stay for orientation. Sides that are no objects are one field without a name. */
export function fieldsOf({ before, after }: ChangeEntry): {
  readonly changed: readonly Field[];
  readonly kept: Members;
} {
  const isSide = (side: unknown) => side === undefined || side === null || isMembers(side);
  if (!isSide(before) || !isSide(after)) return { changed: [{ name: '', before, after }], kept: {} };
  const [old, next] = [(before ?? {}) as Members, (after ?? {}) as Members];
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const same = (name: string) =>
    name in old && name in next && JSON.stringify(old[name]) === JSON.stringify(next[name]);
  return {
    changed: names.filter((name) => !same(name)).map((name) => ({ name, before: old[name], after: next[name] })),
    kept: Object.fromEntries(names.filter(same).map((name) => [name, next[name]])),
  };
}
