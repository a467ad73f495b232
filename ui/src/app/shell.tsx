/** The frame around every view: brand, navigation with the number of proposals that wait, theme, and the main landmark. */
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { pending, unresolved } from '../api/lists.ts';
import { liveStatus } from '../api/live.ts';
import { useLatest, useQuery } from '../api/query.ts';
import { needsPerson } from '../approvals/words.ts';
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
  const open = useQuery(unresolved).data?.proposals;
  const lost = open?.filter(({ state }) => state === 'outcome-unknown').length;
  const waiting = listed ?? 0;
  const unsettled = open?.filter(needsPerson).length ?? 0;
  useMore(listed, (now) => `${plural(now, 'proposal')} waiting.`);
  // One that is being applied right now is counted, but only a lost answer is worth an interruption.
  useMore(lost, (now) => `${plural(now, 'change')} with an unknown outcome.`);
  const words = [
    ...(waiting > 0 ? [`${plural(waiting, 'proposal')} waiting`] : []),
    ...(unsettled > 0 ? [`${plural(unsettled, 'change')} unsettled`] : []),
  ].join(', ');
  return (
    <NavItem href="/app/approvals" icon="shield" label="Approvals" current={current}>
      {words !== '' && (
        <span className={unsettled > 0 ? 'badge badge-warn' : 'badge'} data-testid="waiting" title={words}>
          {unsettled > 0 && <Icon name="warn" size={12} />}
          <span aria-hidden="true">{waiting + unsettled}</span>
          <span className="visually-hidden">{words}</span>
        </span>
      )}
    </NavItem>
  );
}

/** Says it when there is one more, wherever on the page the person is; what was there at the start is read at its place. */
function useMore(now: number | undefined, words: (now: number) => string): void {
  const before = useRef(now);
  const say = useLatest((more: number) => announce(words(more)));
  useEffect(() => {
    if (before.current !== undefined && now !== undefined && now > before.current) say(now);
    before.current = now;
  }, [now, say]);
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
