/** A message in the page: its tone is told by an icon and words, never by colour alone. */
import type { ReactNode } from 'react';
import { Foreign } from '../text/foreign.tsx';
import { Icon, type IconName } from './icons.tsx';

type Tone = 'info' | 'good' | 'warn' | 'bad';
const ICONS: Readonly<Record<Tone, IconName>> = { info: 'info', good: 'check', warn: 'warn', bad: 'warn' };

interface Props {
  readonly tone: Tone;
  readonly title: string;
  /** Text that may come from the server or an add-on. */
  readonly text?: string | undefined;
  readonly children?: ReactNode;
  readonly role?: 'alert' | 'status';
}

export function Notice({ tone, title, text, children, role }: Props) {
  return (
    <div className={`notice notice-${tone}`} role={role}>
      <Icon name={ICONS[tone]} />
      <div className="notice-body">
        <p className="notice-title">{title}</p>
        {text !== undefined && (
          <p>
            <Foreign text={text} max={600} />
          </p>
        )}
        {children !== undefined && <div className="notice-actions">{children}</div>}
      </div>
    </div>
  );
}

/** What a view shows in place of a list that is empty. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} size={32} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Boxes of the final size while the first answer is on its way. */
export function Skeletons({ count, kind }: { readonly count: number; readonly kind: 'card' | 'proposal' | 'row' }) {
  return (
    <div className={`skeletons skeletons-${kind}`} aria-busy="true">
      <span className="visually-hidden">Loading…</span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: identical boxes
        <div key={index} className={`skeleton skeleton-${kind}`} aria-hidden="true" />
      ))}
    </div>
  );
}
