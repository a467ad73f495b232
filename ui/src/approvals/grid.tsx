/** Rows of plain values as a table that scrolls inside its own frame, by keyboard too. */
import type { ProposalView } from '../../../src/contract/api.ts';
import { Foreign } from '../text/foreign.tsx';

type Entry = ProposalView['effects']['sample'][number];
export type Row = { readonly [name: string]: unknown };
const MOST_COLUMNS = 24;

const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Whether an entry is an object of short plain values. */
export const isFlat = (entry: Entry): boolean =>
  typeof entry === 'object' &&
  entry !== null &&
  !Array.isArray(entry) &&
  Object.values(entry).every((value) => isPlain(value) && String(value).length <= 200);

export const rowsOf = (entries: readonly Entry[]): readonly Row[] => entries as unknown as readonly Row[];

interface Props {
  readonly rows: readonly Row[];
  readonly label: string;
  readonly columns?: readonly string[] | undefined;
}

export function Grid({ rows, label, columns }: Props) {
  const all = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const names = all.slice(0, MOST_COLUMNS);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="grid" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col" className={isNumeric(rows, name) ? 'cell-number' : undefined}>
                  <Foreign text={name} max={60} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a sample have no identity besides their place
              <tr key={index}>
                {names.map((name) => (
                  <Cell key={name} value={row[name]} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {names.length < all.length && (
        <p className="cut">
          {names.length} of {all.length} columns shown
        </p>
      )}
    </>
  );
}

const isNumeric = (rows: readonly Row[], name: string) => typeof rows[0]?.[name] === 'number';

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null) {
    return (
      <td className="cell-none">
        <em>none</em>
      </td>
    );
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <td className={typeof value === 'number' ? 'cell-number' : undefined}>
      <Foreign text={text} max={120} />
    </td>
  );
}
