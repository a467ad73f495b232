/** The Add-ons page (12, "Add-ons page and management"): My add-ons, and for administrators Find add-ons and Sources. */
import { features, sources } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { Link } from '../app/router.tsx';
import { Find } from './find.tsx';
import { MyAddons } from './my-addons.tsx';
import { Sources } from './sources.tsx';

export type Tab = 'mine' | 'browse' | 'libraries';

const TABS = [
  ['mine', '/app/addons', 'My add-ons'],
  ['browse', '/app/addons?tab=browse', 'Find add-ons'],
  ['libraries', '/app/addons?tab=libraries', 'Sources'],
] as const;

export function AddonsPage({ query }: { readonly query: URLSearchParams }) {
  const allowed = useQuery(features).data?.addons;
  const found = useQuery(sources).data;
  const administrator = found !== undefined && found !== 'denied';
  const asked = query.get('tab');
  const tab: Tab = asked === 'browse' || asked === 'libraries' ? asked : 'mine';
  return (
    <>
      <div className="page-head">
        <h1 tabIndex={-1}>Add-ons</h1>
        <nav className="tabs" aria-label="Add-ons">
          {TABS.filter(([value]) => value === 'mine' || administrator).map(([value, href, label]) => (
            <Link key={value} href={href} className="tab" aria-current={tab === value ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
      </div>
      {tab === 'mine' && <MyAddons query={query} allowed={allowed} administrator={administrator} />}
      {tab === 'browse' && <Find denied={found === 'denied'} />}
      {tab === 'libraries' && <Sources />}
    </>
  );
}
