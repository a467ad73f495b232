/** What stands in My add-ons while nothing is installed (12:319-320). */
import type { Release } from '../../../src/contract/api.ts';
import { dispatch } from '../api/client.ts';
import { useOffer, useReading } from '../api/lists.ts';
import { useOwnQuery, useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Link } from '../app/router.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { NothingOffered } from './find.tsx';
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
  const reading = useReading();
  const query = useOwnQuery(
    `offer/${useOffer()}`,
    (signal) =>
      dispatch<{ releases: readonly Release[] }>(
        { action: 'catalog-search', arguments: { text: '', offset: 0, limit: 20 } },
        { signal },
      ),
    60_000,
  );
  const { data, error } = useQuery(query);
  if (data === undefined && error !== undefined) return <Notice tone="bad" role="alert" {...wordsFor(error)} />;
  if (data === undefined || (reading && data.releases.length === 0)) return <Skeletons count={OFFERED} kind="card" />;
  if (data.releases.length === 0) return <NothingOffered />;
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
