/** My add-ons: a grid of cards with a search box, and the details of one add-on beside it (12:301-321). */
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import type { AppEntry } from '../../../src/contract/api.ts';
import { apps } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Link } from '../app/router.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { plural } from '../text/format.ts';
import { closePane } from './address.ts';
import { Card } from './card.tsx';
import { titleOf } from './names.ts';
import { Pane } from './pane.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { ResourcePage } from './resource-page.tsx';
import { Suggestions } from './suggestions.tsx';

interface Props {
  readonly query: URLSearchParams;
  readonly allowed: boolean | undefined;
  readonly administrator: boolean;
}

export function MyAddons({ query, allowed, administrator }: Props) {
  if (allowed === undefined) return <Skeletons count={3} kind="card" />;
  // Without the feature only built-in pages would stand here, and there are none; the list is not even asked for (12:316-317).
  if (!allowed) {
    return (
      <Empty icon="grid" title="No add-ons for you here">
        <p>Your account does not have the add-ons feature. An administrator can give it to you.</p>
      </Empty>
    );
  }
  return <Listed query={query} administrator={administrator} />;
}

function Listed({ query, administrator }: Omit<Props, 'allowed'>) {
  const { data, error, outdated } = useQuery(apps);
  const [text, setText] = useState('');
  const [removing, setRemoving] = useState<AppEntry>();
  const search = useDeferredValue(text.trim().toLowerCase());
  const detail = query.get('manage') ?? query.get('detail');
  const chosen = data?.find(({ id }) => id === detail);
  useReturnFocus(chosen?.id);
  useForgetRemoved(data === undefined ? undefined : detail, chosen?.id);

  if (data === undefined) {
    if (error === undefined) return <Skeletons count={3} kind="card" />;
    return <Notice tone="bad" role="alert" {...wordsFor(error)} />;
  }
  const resourceId = query.get('resource');
  if (chosen !== undefined && resourceId !== null) return <ResourcePage app={chosen} resourceId={resourceId} />;
  const sorted = [...data].sort((one, other) => (one.id < other.id ? -1 : 1));
  const shown = sorted.filter((app) => `${titleOf(app)} ${app.id} ${app.description}`.toLowerCase().includes(search));
  return (
    <>
      {outdated && (
        <Notice
          tone="warn"
          role="status"
          title="This list may be out of date"
          text="The server did not answer the last time. It is asked again by itself."
        />
      )}
      {data.length === 0 ? (
        <Suggestions administrator={administrator} />
      ) : (
        <div className={chosen === undefined ? 'split' : 'split split-open'}>
          <div className="split-list">
            <SearchBox label="Search my add-ons" value={text} onChange={setText}>
              {search === '' ? plural(data.length, 'add-on') : `${shown.length} of ${plural(data.length, 'add-on')}`}
            </SearchBox>
            {shown.length === 0 ? (
              <Empty icon="search" title="No add-on matches">
                <p>
                  Nothing here is called “<bdi>{text.trim()}</bdi>”.{' '}
                  {administrator && <Link href="/app/addons?tab=browse">Look in Find add-ons</Link>}
                </p>
              </Empty>
            ) : (
              <ul className="cards">
                {shown.map((app) => (
                  <Card key={app.id} app={app} selected={app.id === chosen?.id} onRemove={() => setRemoving(app)} />
                ))}
              </ul>
            )}
          </div>
          {chosen !== undefined && (
            <Pane key={chosen.id} app={chosen} manage={query.has('manage')} onRemove={() => setRemoving(chosen)} />
          )}
        </div>
      )}
      {removing !== undefined && <RemoveDialog app={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

/** When the add-on of the details is gone, so is its address: a reload or a shared link must not ask for it. */
function useForgetRemoved(detail: string | null | undefined, chosen: string | undefined): void {
  const seen = useRef(chosen);
  useEffect(() => {
    if (chosen !== undefined) seen.current = chosen;
    else if (typeof detail === 'string' && detail === seen.current) closePane({ replace: true });
  }, [detail, chosen]);
}

/** Opening details moves the focus to them; closing gives it back to the card they came from. */
function useReturnFocus(chosen: string | undefined): void {
  const before = useRef(chosen);
  useEffect(() => {
    if (before.current === chosen) return;
    // The card is gone when the add-on was removed.
    const target =
      chosen === undefined
        ? (document.getElementById(`card-${before.current}`) ?? document.querySelector<HTMLElement>('main h1'))
        : document.getElementById('pane-title');
    target?.focus({ preventScroll: chosen !== undefined && window.innerWidth > 900 });
    before.current = chosen;
  }, [chosen]);
}
