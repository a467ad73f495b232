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

/** A column as add-ons commonly name it. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

interface Rows {
  readonly form: 'rows';
  readonly rows: readonly Row[];
  readonly sign: 'added' | 'removed' | undefined;
  /** In the order the add-on gave, where it said one: the stored sample itself does not keep the order of members. */
  readonly columns: readonly string[] | undefined;
  /** An entry in front of the rows that says what they belong to, such as the table that is made for them. */
  readonly lead: Entry | undefined;
}

export type Reading = Rows | { readonly form: 'entries'; readonly entries: readonly (ChangeEntry | Entry)[] };

const LONGEST_CELL = 260;
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

/** The columns that a value lists, or undefined when it is no such list. */
export function columnsOf(value: unknown): readonly Column[] | undefined {
  const isColumn = (each: unknown): each is Column =>
    isMembers(each) && typeof each.name === 'string' && typeof each.type === 'string' && Object.keys(each).length === 2;
  return Array.isArray(value) && value.length > 0 && value.every(isColumn) ? value : undefined;
}

/** The columns in the order of `lead`, then those it does not name; undefined when it names none. */
function orderOf(lead: Entry | undefined, rows: readonly Row[]): readonly string[] | undefined {
  const named = isMembers(lead) ? columnsOf(lead.columns)?.map(({ name }) => name) : undefined;
  if (named === undefined) return undefined;
  const present = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...new Set([...named.filter((name) => present.has(name)), ...present])];
}

/** All entries as rows that come, or all as rows that go; members beside the row must not hide any of its cells. */
function signedRows(sample: readonly Entry[]): Pick<Rows, 'rows' | 'sign'> | undefined {
  const changes = sample.map(changeOf);
  for (const [side, other, sign] of [
    ['after', 'before', 'added'],
    ['before', 'after', 'removed'],
  ] as const) {
    const isRow = (change: ChangeEntry | undefined): change is ChangeEntry =>
      change !== undefined &&
      change[other] === undefined &&
      isFlat(change[side]) &&
      Object.keys(change.about).every((name) => !Object.hasOwn(change[side] as Members, name));
    if (changes.length > 0 && changes.every(isRow))
      return { rows: changes.map((change) => ({ ...change.about, ...(change[side] as Members) })), sign };
  }
  return undefined;
}

/**
 * Rows where every entry is one flat row that stays, comes or goes, perhaps behind one entry that says what they belong to;
 * else each entry for itself.
 */
export function readSample(sample: readonly Entry[]): Reading {
  if (sample.every((entry) => changeOf(entry) === undefined && isFlat(entry))) {
    const rows = sample as unknown as readonly Row[];
    return { form: 'rows', rows, sign: undefined, columns: undefined, lead: undefined };
  }
  const signed = signedRows(sample);
  if (signed !== undefined) return { form: 'rows', ...signed, columns: undefined, lead: undefined };
  const [lead, ...rest] = sample;
  const behind = lead !== undefined && changeOf(lead) === undefined ? signedRows(rest) : undefined;
  if (behind !== undefined) return { form: 'rows', ...behind, columns: orderOf(lead, behind.rows), lead };
  return { form: 'entries', entries: sample.map((entry) => changeOf(entry) ?? entry) };
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
