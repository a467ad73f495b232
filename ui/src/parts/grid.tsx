/** Rows of plain values as a table that scrolls inside its own frame, by keyboard too. */
import { Foreign } from '../text/foreign.tsx';

export type Row = { readonly [name: string]: unknown };
const MOST_COLUMNS = 24;

export interface GridProps {
  readonly rows: readonly Row[];
  readonly label: string;
  /** The columns in their order; without it, the members of the rows. */
  readonly columns?: readonly string[] | undefined;
  /** A sign in front of each row: these would be added, or go. */
  readonly sign?: 'added' | 'removed' | undefined;
}

export function Grid({ rows, label, columns, sign }: GridProps) {
  const all = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const names = all.slice(0, MOST_COLUMNS);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={sign === undefined ? 'grid' : `grid grid-${sign}`} aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {sign !== undefined && (
                <th scope="col" className="cell-sign">
                  <span className="visually-hidden">Change</span>
                </th>
              )}
              {names.map((name) => (
                <th key={name} scope="col" className={isNumeric(rows, name) ? 'cell-number' : undefined}>
                  <Foreign text={name} max={60} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a page have no identity besides their place
              <tr key={index}>
                {sign !== undefined && <Sign sign={sign} />}
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

function Sign({ sign }: { readonly sign: 'added' | 'removed' }) {
  return (
    <td className="cell-sign">
      <span aria-hidden="true">{sign === 'added' ? '+' : '−'}</span>
      <span className="visually-hidden">{sign === 'added' ? 'would be added' : 'would go'}</span>
    </td>
  );
}

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
