/** One resource, looked at through the add-on's own declared reads: its tables and their rows, page by page, read-only. */
import { useEffect, useState } from 'react';
import type { AppEntry } from '../../../src/contract/api.ts';
import { dispatch } from '../api/client.ts';
import { resourcesOf } from '../api/lists.ts';
import { useOwnQuery, useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Link } from '../app/router.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { plural } from '../text/format.ts';
import { detailAddress } from './address.ts';
import { titleOf } from './names.ts';
import { ResourceName } from './resource-name.tsx';
import { type TableShape, TableView } from './table-view.tsx';
import { TurnOn } from './turn-on.tsx';

interface Inspected {
  readonly name?: string;
  readonly revision?: { readonly schema: number; readonly data: number };
  readonly tables?: readonly TableShape[];
  readonly next?: number;
}

/** An answer that has no room for all tables says where to go on; so many answers are read at most. */
const MOST_ANSWERS = 16;

async function inspect(app: AppEntry, resourceId: string, signal: AbortSignal): Promise<Inspected> {
  const ask = (more: { readonly offset?: number }) =>
    dispatch<Inspected>(
      {
        action: 'read',
        addonId: app.id,
        resourceId,
        generation: app.generation,
        arguments: { tool: 'inspect', ...more },
      },
      { signal },
    );
  const first = await ask({});
  if (!Array.isArray(first.tables)) return first;
  const tables = [...first.tables];
  let next = first.next;
  for (let answers = 1; typeof next === 'number' && answers < MOST_ANSWERS; answers += 1) {
    const further = await ask({ offset: next });
    tables.push(...(Array.isArray(further.tables) ? further.tables : []));
    next = further.next;
  }
  return { ...first, tables };
}

interface Props {
  readonly app: AppEntry;
  readonly resourceId: string;
}

export function ResourcePage({ app, resourceId }: Props) {
  const entry = useQuery(resourcesOf(app.id)).data?.find((known) => known.resourceId === resourceId);
  const query = useOwnQuery(
    `${app.id}/${resourceId}/${app.generation}/${app.enabled && app.state}`,
    async (signal) => (app.enabled ? await inspect(app, resourceId, signal) : {}),
    15_000,
  );
  const { data, error, outdated } = useQuery(query);
  const failed = app.enabled && app.state !== 'starting' && data === undefined ? error : undefined;
  useEffect(() => document.getElementById('resource-title')?.focus({ preventScroll: true }), []);
  const name = data?.name ?? entry?.name;
  return (
    <article className="resource-page" aria-labelledby="resource-title">
      <nav aria-label="Where you are" className="crumbs">
        <Link href={detailAddress(app.id)}>
          <Icon name="left" size={16} />
          <Foreign text={titleOf(app)} max={80} />
        </Link>
      </nav>
      <h2 id="resource-title" tabIndex={-1}>
        <ResourceName app={app} resourceId={resourceId} name={name} />
      </h2>
      <p className="hint">
        {data?.tables === undefined ? '' : plural(data.tables.length, 'table')}
        {data?.revision === undefined ? '' : ` · version ${data.revision.schema}.${data.revision.data}`}
      </p>
      {outdated && <Notice tone="warn" role="status" title="This may be out of date" />}
      {data === undefined && failed === undefined && <Skeletons count={1} kind="proposal" />}
      {!app.enabled && (
        <Notice
          tone="info"
          title="Its add-on is off"
          text={`${titleOf(app)} is turned off, so nothing of this can be read. All of it is kept.`}
        >
          <TurnOn app={app} />
        </Notice>
      )}
      {failed !== undefined && <Notice tone="bad" role="alert" {...wordsFor(failed)} />}
      {app.enabled && data !== undefined && <Tables app={app} resourceId={resourceId} data={data} />}
    </article>
  );
}

function Tables({ app, resourceId, data }: Props & { readonly data: Inspected }) {
  const tables = data.tables;
  const [chosen, setChosen] = useState<string>();
  if (!Array.isArray(tables)) {
    return <Empty icon="info" title="This add-on shows no tables" />;
  }
  const table: TableShape | undefined = tables.find((each: TableShape) => each.name === chosen) ?? tables[0];
  if (table === undefined) {
    return (
      <Empty icon="table" title="No tables yet">
        <p>A program or a model can propose one; you confirm it under Approvals.</p>
      </Empty>
    );
  }
  const version = `${data.revision?.schema}.${data.revision?.data}`;
  return (
    <>
      <fieldset className="segments">
        <legend className="visually-hidden">Table</legend>
        {tables.map((each: TableShape) => (
          <label key={each.name}>
            <input type="radio" name="table" checked={each.name === table.name} onChange={() => setChosen(each.name)} />
            <span>
              <Foreign text={each.name} max={60} />
            </span>
          </label>
        ))}
      </fieldset>
      <TableView key={table.name} app={app} resourceId={resourceId} table={table} version={version} />
    </>
  );
}
