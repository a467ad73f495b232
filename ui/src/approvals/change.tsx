/** One entry with a before and an after, drawn like a diff: what goes, what comes, and what stays for orientation. */
import type { ProposalView } from '../../../src/contract/api.ts';
import { Foreign } from '../text/foreign.tsx';

type Entry = ProposalView['effects']['sample'][number];
type Side = { readonly [name: string]: unknown } | null;
export type ChangeEntry = { readonly before: Side; readonly after: Side };

const isSide = (side: unknown): side is Side => side === null || (typeof side === 'object' && !Array.isArray(side));

export function isChange(entry: Entry): boolean {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return false;
  const names = Object.keys(entry);
  const { before, after } = entry as { before?: unknown; after?: unknown };
  return names.length === 2 && before !== undefined && after !== undefined && isSide(before) && isSide(after);
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const words = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export function Change({ entry }: { readonly entry: Entry }) {
  const { before, after } = entry as unknown as ChangeEntry;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter((name) => !same(before?.[name], after?.[name]));
  const kept = names.filter((name) => !changed.includes(name));
  return (
    <div className="change">
      {kept.length > 0 && (
        <p className="change-kept">
          {kept.map((name) => (
            <span key={name}>
              <Foreign text={name} max={40} /> <strong>{<Foreign text={words(after?.[name])} max={80} />}</strong>
            </span>
          ))}
        </p>
      )}
      <dl>
        {changed.map((name) => (
          <div key={name} className="change-field">
            <dt>
              <Foreign text={name} max={60} />
            </dt>
            <Line sign="−" kind="removed" value={before?.[name]} />
            <Line sign="+" kind="added" value={after?.[name]} />
          </div>
        ))}
      </dl>
      {changed.length === 0 && <p className="cut">Nothing differs in this entry.</p>}
    </div>
  );
}

function Line({
  sign,
  kind,
  value,
}: {
  readonly sign: string;
  readonly kind: 'removed' | 'added';
  readonly value: unknown;
}) {
  return (
    <dd className={`line line-${kind}`}>
      <span className="line-sign" aria-hidden="true">
        {sign}
      </span>
      <span className="visually-hidden">{kind === 'removed' ? 'before: ' : 'after: '}</span>
      {value === undefined || value === null ? <em>nothing</em> : <Foreign text={words(value)} max={300} />}
    </dd>
  );
}
