/** What stands in My add-ons while nothing is installed (12:319-320). */
import type { Release } from '../../../src/contract/api.ts';
import { dispatch } from '../api/client.ts';
import { useOwnQuery, useQuery } from '../api/query.ts';
import { Link } from '../app/router.tsx';
import { Empty, Skeletons } from '../parts/notice.tsx';
import { ReleaseCard } from './release-card.tsx';

const OFFERED = 3;

export function Suggestions({ administrator }: { readonly administrator: boolean }) {
  return (
    <>
      <Empty icon="grid" title="No add-ons yet">
        <p>
          {administrator
            ? 'An add-on gives your server new tools and pages. Each change it makes waits for your yes.'
            : 'An administrator has not installed any add-on yet.'}
        </p>
      </Empty>
      {administrator && <Offer />}
    </>
  );
}

function Offer() {
  const query = useOwnQuery(
    'offer',
    (signal) =>
      dispatch<{ releases: readonly Release[] }>(
        { action: 'catalog-search', arguments: { text: '', offset: 0, limit: 20 } },
        { signal },
      ),
    60_000,
  );
  const { data } = useQuery(query);
  if (data === undefined) return <Skeletons count={OFFERED} kind="card" />;
  const firsts = data.releases.filter(({ id }, at, all) => all.findIndex((other) => other.id === id) === at);
  return (
    <section aria-labelledby="offer">
      <div className="section-head">
        <h2 id="offer">From your sources</h2>
        <Link href="/app/addons?tab=browse">Find add-ons</Link>
      </div>
      <ul className="cards">
        {firsts.slice(0, OFFERED).map((release) => (
          <ReleaseCard key={`${release.sourceId}/${release.id}`} versions={[release]} installed={undefined} />
        ))}
      </ul>
    </section>
  );
}
