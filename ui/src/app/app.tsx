/** Which view stands at which address; the title and the focus follow when the view changes. */
import { useEffect, useRef } from 'react';
import { AddonsPage } from '../addons/addons-page.tsx';
import { pending } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { ApprovalsPage } from '../approvals/approvals-page.tsx';
import { Empty } from '../parts/notice.tsx';
import { Link, navigate, usePlace } from './router.tsx';
import { Shell, type View } from './shell.tsx';

export function App() {
  const { path, query } = usePlace();
  const home = path === '/' || path === '/app';
  useEffect(() => {
    if (home) navigate('/app/addons', { replace: true });
  }, [home]);
  const view: View = home || path === '/app/addons' ? 'addons' : path === '/app/approvals' ? 'approvals' : 'none';
  useTitle(SECTIONS[sectionOf(query)] ?? TITLES[view]);
  useViewFocus(`${view}/${sectionOf(query)}`);
  return (
    <Shell view={view}>
      {view === 'addons' && <AddonsPage query={query} />}
      {view === 'approvals' && <ApprovalsPage query={query} />}
      {view === 'none' && <NotFound />}
    </Shell>
  );
}

/** The part of a view that is a page of its own; an old address of My add-ons is My add-ons. */
function sectionOf(query: URLSearchParams): string {
  const asked = query.get('tab') ?? query.get('show') ?? '';
  return ['browse', 'libraries', 'history'].includes(asked) ? asked : '';
}

/** Sections that have a heading of their own. */
const SECTIONS: Readonly<Record<string, string>> = { browse: 'Find add-ons', libraries: 'Sources', history: 'History' };
const TITLES: Readonly<Record<View, string>> = { addons: 'Add-ons', approvals: 'Approvals', none: 'Not found' };

/** The title names the view, and how many proposals wait for a person who works in another tab. */
function useTitle(title: string): void {
  const waiting = useQuery(pending).data?.proposals.length ?? 0;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · Castellan`;
  }, [title, waiting]);
}

/** A new view starts at its heading, as a page load would; the first view of a load leaves the focus alone. */
function useViewFocus(key: string): void {
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the view and its tab
  useEffect(() => {
    if (first.current) first.current = false;
    else {
      window.scrollTo(0, 0);
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    }
  }, [key]);
}

function NotFound() {
  return (
    <>
      <h1 tabIndex={-1}>Not found</h1>
      <Empty icon="help" title="There is no page at this address">
        <p>
          <Link href="/app/addons">Go to the add-ons</Link>
        </p>
      </Empty>
    </>
  );
}
