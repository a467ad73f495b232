/** Find add-ons: what the sources offer, searched by the owner (12, "Management actions"). */
import { useDeferredValue, useState } from 'react';
import type { Release } from '../../../src/contract/api.ts';
import { dispatch } from '../api/client.ts';
import { apps, sources, useOffer, useReading } from '../api/lists.ts';
import { useOwnQuery, useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Link } from '../app/router.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { plural } from '../text/format.ts';
import { ReleaseCard } from './release-card.tsx';

const LIMIT = 100;
interface Page {
  readonly releases: readonly Release[];
  readonly total: number;
}

export function Find({ denied }: { readonly denied: boolean }) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const reading = useReading();
  const query = useOwnQuery(
    `${search}/${useOffer()}`,
    (signal) =>
      dispatch<Page>({ action: 'catalog-search', arguments: { text: search, offset: 0, limit: LIMIT } }, { signal }),
    60_000,
  );
  const { data, error, outdated } = useQuery(query);
  const mine = useQuery(apps).data ?? [];
  if (denied) {
    return (
      <Empty icon="shield" title="For administrators">
        <p>Only an administrator can install add-ons.</p>
      </Empty>
    );
  }
  const waiting = data === undefined ? error === undefined : reading && data.releases.length === 0;
  return (
    <>
      {outdated && <Notice tone="warn" role="status" title="This list may be out of date" />}
      <SearchBox label="Search the sources" value={text} onChange={setText}>
        {data === undefined || waiting
          ? ''
          : data.total > LIMIT
            ? `${LIMIT} of ${plural(data.total, 'release')}`
            : plural(data.total, 'release')}
      </SearchBox>
      {waiting && <Skeletons count={3} kind="card" />}
      {data === undefined && error !== undefined && <Notice tone="bad" role="alert" {...wordsFor(error)} />}
      {data !== undefined && !waiting && data.releases.length === 0 && <NothingOffered searched={search !== ''} />}
      {data !== undefined && data.releases.length > 0 && (
        <ul className="cards">
          {group(data.releases).map(([key, versions]) => (
            <ReleaseCard key={key} versions={versions} installed={mine.find(({ id }) => id === versions[0]?.id)} />
          ))}
        </ul>
      )}
    </>
  );
}

function group(releases: readonly Release[]): readonly (readonly [string, readonly Release[]])[] {
  const groups = new Map<string, Release[]>();
  for (const release of releases) {
    const key = `${release.sourceId}/${release.id}`;
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [release]);
    else list.push(release);
  }
  return [...groups];
}

/** Why no release is listed, as far as the page can tell. */
export function NothingOffered({ searched = false }: { readonly searched?: boolean }) {
  const list = useQuery(sources).data;
  const failing =
    Array.isArray(list) &&
    list.some(({ kind, enabled, refresh }) => kind === 'addon' && enabled && refresh?.failed === true);
  return (
    <Empty icon="search" title={searched ? 'No add-on matches' : 'The sources offer nothing for this machine'}>
      <p>
        {failing
          ? 'At least one source could not be read the last time, so something may be missing.'
          : 'Only add-ons that fit this machine are listed.'}{' '}
        <Link href="/app/addons?tab=libraries">Look at the sources</Link>
      </p>
    </Empty>
  );
}
