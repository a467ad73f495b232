/** A state in a word, with a shape of its own so that it reads without colour. */
import { Icon, type IconName } from './icons.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'accent';

export function Chip({ tone, icon, children }: { tone: Tone; icon: IconName; children: string }) {
  return (
    <span className={`chip chip-${tone}`}>
      <Icon name={icon} size={14} />
      {children}
    </span>
  );
}
