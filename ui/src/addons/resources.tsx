/** What an add-on holds for this person: its resources, each with role and version, and a form for a new one. */

import { useState } from 'react';
import type { AppEntry, ResourceEntry } from '../../../src/contract/api.ts';
import { resourcesOf } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Link } from '../app/router.tsx';
import { Icon } from '../parts/icons.tsx';
import { Foreign } from '../text/foreign.tsx';
import { plural } from '../text/format.ts';
import { resourceAddress } from './address.ts';
import { NewResource } from './new-resource.tsx';

const ROLES: Readonly<Record<ResourceEntry['role'], string>> = {
  owner: 'yours',
  editor: 'you may edit',
  viewer: 'you may look',
};

/** An add-on that can create or delete must declare this read tool, since the host settles both by its answer (09). */
const holdsResources = (app: AppEntry): boolean => app.tools.includes('resource-exists');

export function Resources({ app }: { readonly app: AppEntry }) {
  return holdsResources(app) && app.enabled ? <List app={app} /> : null;
}

function List({ app }: { readonly app: AppEntry }) {
  const { data, error } = useQuery(resourcesOf(app.id));
  const [adding, setAdding] = useState(false);
  return (
    <section aria-labelledby="holds">
      <div className="section-head">
        <h3 id="holds">What it holds</h3>
        <button type="button" className="btn btn-small" onClick={() => setAdding(true)}>
          <Icon name="plus" size={16} /> New
        </button>
      </div>
      {data === undefined && error !== undefined && (
        <p className="cut">{wordsFor(error).title}. It is asked again by itself.</p>
      )}
      {data !== undefined && data.length === 0 && (
        <p className="hint">Nothing yet. What you create here is yours alone.</p>
      )}
      <ul className="resources">
        {data?.map((entry) => (
          <li key={entry.resourceId}>
            <Link href={resourceAddress(app.id, entry.resourceId)} className="resource">
              <Icon name="table" size={18} />
              <span className="resource-name">
                <Foreign text={entry.name || entry.resourceId} max={80} />
              </span>
              <span className="resource-facts">{factsOf(entry)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {adding && <NewResource app={app} onClose={() => setAdding(false)} />}
    </section>
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
