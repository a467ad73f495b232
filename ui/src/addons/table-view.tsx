/** The rows of one table, a page at a time. */
import { useState } from 'react';
import type { AppEntry } from '../../../src/contract/api.ts';
import { dispatch } from '../api/client.ts';
import { useOwnQuery, useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Grid } from '../parts/grid.tsx';
import { Notice, Skeletons } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { count, plural } from '../text/format.ts';

export interface TableShape {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

interface Page {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly total: number;
  readonly next?: number;
}

const PAGE = 50;

interface Props {
  readonly app: AppEntry;
  readonly resourceId: string;
  readonly table: TableShape;
  /** The version of the data; a new one reads the rows again. */
  readonly version: string;
}

export function TableView(props: Props) {
  const { app, table } = props;
  return (
    <>
      <p className="columns">
        {plural(table.rows, 'row')} ·{' '}
        {table.columns.map(({ name, type }, at) => (
          <span key={name}>
            {at > 0 && ', '}
            <strong>
              <Foreign text={name} max={60} />
            </strong>{' '}
            <Foreign text={type} max={30} />
          </span>
        ))}
      </p>
      {table.rows > 0 && app.tools.includes('list-rows') && <Rows {...props} />}
    </>
  );
}

function Rows({ app, resourceId, table, version }: Props) {
  const [offset, setOffset] = useState(0);
  const args = { tool: 'list-rows', table: table.name, limit: PAGE, offset };
  const query = useOwnQuery(
    `${app.generation}/${resourceId}/${table.name}/${version}/${offset}`,
    (signal) =>
      dispatch<Page>(
        { action: 'read', addonId: app.id, resourceId, generation: app.generation, arguments: args },
        { signal },
      ),
    60_000,
  );
  const { data, error } = useQuery(query);
  if (data === undefined) {
    return error === undefined ? (
      <Skeletons count={1} kind="proposal" />
    ) : (
      <Notice tone="bad" role="alert" {...wordsFor(error)} />
    );
  }
  const rows = data.rows.map((cells) => Object.fromEntries(data.columns.map((name, at) => [name, cells[at]])));
  return (
    <>
      <Grid rows={rows} columns={data.columns} label={`Rows of ${table.name}`} />
      <div className="pager">
        <span role="status">
          Rows {count(offset + 1)} to {count(offset + rows.length)} of {count(data.total)}
        </span>
        <button
          type="button"
          className="btn btn-small"
          aria-disabled={offset === 0}
          onClick={() => setOffset(Math.max(0, offset - PAGE))}
        >
          Earlier
        </button>
        <button
          type="button"
          className="btn btn-small"
          aria-disabled={data.next === undefined}
          onClick={() => data.next !== undefined && setOffset(data.next)}
        >
          Later
        </button>
      </div>
    </>
  );
}
