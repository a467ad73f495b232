/** Which view stands at which address; the title and the focus follow when the view changes. */
import { useEffect, useRef } from 'react';
import { AddonsPage } from '../addons/addons-page.tsx';
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
  useViewFocus(`${view}/${query.get('tab') ?? ''}`, view);
  return (
    <Shell view={view}>
      {view === 'addons' && <AddonsPage query={query} />}
      {view === 'approvals' && <ApprovalsPage query={query} />}
      {view === 'none' && <NotFound />}
    </Shell>
  );
}

const TITLES: Readonly<Record<View, string>> = { addons: 'Add-ons', approvals: 'Approvals', none: 'Not found' };

/** A new view starts at its heading, as a page load would; the first view of a load leaves the focus alone. */
function useViewFocus(key: string, view: View): void {
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the view and its tab
  useEffect(() => {
    document.title = `${TITLES[view]} · Castellan`;
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
