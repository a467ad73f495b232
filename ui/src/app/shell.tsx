/** The frame around every view: brand, navigation with the number of proposals that wait, theme, and the main landmark. */
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { pending } from '../api/lists.ts';
import { liveStatus } from '../api/live.ts';
import { useQuery } from '../api/query.ts';
import { Icon, type IconName, Mark } from '../parts/icons.tsx';
import { plural } from '../text/format.ts';
import { Announcer, announce } from './announce.tsx';
import { Link } from './router.tsx';
import { setTheme, type Theme, useTheme } from './theme.ts';

export type View = 'addons' | 'approvals' | 'none';

export function Shell({ view, children }: { readonly view: View; readonly children: ReactNode }) {
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="side">
        <Link href="/app/addons" className="brand">
          <Mark />
          <span>Castellan</span>
        </Link>
        <nav aria-label="Main" className="nav">
          <NavItem href="/app/addons" icon="grid" label="Add-ons" current={view === 'addons'} />
          <Waiting current={view === 'approvals'} />
        </nav>
        <div className="side-foot">
          <Live />
          <ThemeChoice />
        </div>
      </header>
      <main id="main" className="main" tabIndex={-1}>
        {children}
      </main>
      <Announcer />
    </div>
  );
}

function NavItem(props: { href: string; icon: IconName; label: string; current: boolean; children?: ReactNode }) {
  return (
    <Link className="nav-item" href={props.href} aria-current={props.current ? 'page' : undefined}>
      <Icon name={props.icon} />
      <span>{props.label}</span>
      {props.children}
    </Link>
  );
}

function Waiting({ current }: { readonly current: boolean }) {
  const listed = useQuery(pending).data?.proposals.length;
  const waiting = listed ?? 0;
  const before = useRef(listed);
  useEffect(() => {
    // Said when one more waits, wherever on the page the person is; what waited at the start is read at its place.
    if (before.current !== undefined && waiting > before.current) announce(`${plural(waiting, 'proposal')} waiting.`);
    before.current = listed;
  }, [listed, waiting]);
  return (
    <NavItem href="/app/approvals" icon="shield" label="Approvals" current={current}>
      {waiting > 0 && (
        <span className="badge" data-testid="waiting">
          <span aria-hidden="true">{waiting}</span>
          <span className="visually-hidden">, {plural(waiting, 'proposal')} waiting</span>
        </span>
      )}
    </NavItem>
  );
}

function Live() {
  const up = useSyncExternalStore(liveStatus.subscribe, liveStatus.snapshot);
  return (
    <p className="live">
      <span className={up ? 'live-dot live-up' : 'live-dot'} aria-hidden="true" />
      {up ? 'Live' : 'Checking every few seconds'}
    </p>
  );
}

const THEMES: readonly (readonly [Theme, IconName, string])[] = [
  ['system', 'screen', 'As the system'],
  ['light', 'sun', 'Light'],
  ['dark', 'moon', 'Dark'],
];

function ThemeChoice() {
  const theme = useTheme();
  return (
    <fieldset className="themes">
      <legend className="visually-hidden">Theme</legend>
      {THEMES.map(([value, icon, label]) => (
        <label key={value} className="theme" title={label}>
          <input type="radio" name="theme" checked={theme === value} onChange={() => setTheme(value)} />
          <Icon name={icon} size={16} />
          <span className="visually-hidden">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
