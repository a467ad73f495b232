/** What an add-on holds for this person: its resources, each with role and version, and a form for a new one. */

import { useState } from 'react';
import type { AppEntry, ResourceEntry } from '../../../src/contract/api.ts';
import { resourcesOf } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Link } from '../app/router.tsx';
import { Icon } from '../parts/icons.tsx';
import { Foreign } from '../text/foreign.tsx';
import { count, plural } from '../text/format.ts';
import { resourceAddress } from './address.ts';
import { nounOf, titleOf } from './names.ts';
import { NewResource } from './new-resource.tsx';
import { ResourceName } from './resource-name.tsx';

const ROLES: Readonly<Record<ResourceEntry['role'], string>> = {
  owner: 'yours',
  editor: 'you may edit',
  viewer: 'you may look',
};

/** As many are shown at once, so that what stands below is in reach. */
const FIRST = 8;

/** An add-on that can create or delete must declare this read tool, since the host settles both by its answer (09). */
const holdsResources = (app: AppEntry): boolean => app.tools.includes('resource-exists');

export function Resources({ app }: { readonly app: AppEntry }) {
  return holdsResources(app) ? <List app={app} /> : null;
}

/** The same parts in the same places whether the add-on is on or off, so that turning it on, right above, moves nothing. */
function List({ app }: { readonly app: AppEntry }) {
  const { data, error } = useQuery(resourcesOf(app.id));
  const [adding, setAdding] = useState(false);
  const [all, setAll] = useState(false);
  return (
    <section aria-labelledby="holds">
      <div className="section-head">
        <h3 id="holds">What it holds</h3>
        {app.enabled && (
          <button type="button" className="btn btn-small" onClick={() => setAdding(true)}>
            <Icon name="plus" size={16} />
            <span>
              New <Foreign text={nounOf(app)} max={40} />
            </span>
          </button>
        )}
      </div>
      <p className="hint">
        <State app={app} held={data?.length} />
      </p>
      {data === undefined && error !== undefined && (
        <p className="cut">{wordsFor(error).title}. It is asked again by itself.</p>
      )}
      <ul className="resources">
        {data?.slice(0, all ? data.length : FIRST).map((entry) => (
          <li key={entry.resourceId}>
            <Entry app={app} entry={entry} />
          </li>
        ))}
      </ul>
      {!all && data !== undefined && data.length > FIRST && (
        <button type="button" className="btn btn-small btn-quiet" onClick={() => setAll(true)}>
          Show all {count(data.length)}
        </button>
      )}
      {adding && <NewResource app={app} onClose={() => setAdding(false)} />}
    </section>
  );
}

/** One sentence about all of it; there from the first moment, so that the list below stays where it is. */
function State({ app, held }: { readonly app: AppEntry; readonly held: number | undefined }) {
  const title = <Foreign text={titleOf(app)} max={60} />;
  if (!app.enabled && held === 0) return <>{title} is off. It holds nothing of yours yet.</>;
  if (!app.enabled) return <>{title} is off. All of this is kept.</>;
  if (held === 0) return <>Nothing yet. What you create here is yours alone.</>;
  return <>Choose one to look into it.</>;
}

function Entry({ app, entry }: { readonly app: AppEntry; readonly entry: ResourceEntry }) {
  const parts = (
    <>
      <Icon name="table" size={18} />
      <span className="resource-name">
        <ResourceName app={app} resourceId={entry.resourceId} name={entry.name} />
      </span>
      <span className="resource-facts">{factsOf(entry)}</span>
    </>
  );
  // Nothing can be read of an add-on that is off, so nothing leads there.
  if (!app.enabled) return <div className="resource resource-off">{parts}</div>;
  return (
    <Link href={resourceAddress(app.id, entry.resourceId)} className="resource">
      {parts}
    </Link>
  );
}

function factsOf({ role, owner, sharedWith = 0, revision }: ResourceEntry): string {
  const facts = [
    owner === undefined ? ROLES[role] : `from ${owner.displayName}, ${ROLES[role]}`,
    ...(sharedWith > 0 ? [`shared with ${plural(sharedWith, 'person').replace('persons', 'people')}`] : []),
    ...(revision === undefined ? [] : [`version ${revision.schema}.${revision.data}`]),
  ];
  return facts.join(' · ');
}
