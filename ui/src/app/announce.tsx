/** One polite live region for the whole page: what changed is said once, without moving the focus. */
import { useSyncExternalStore } from 'react';

let text = '';
let turn = 0;
const listeners = new Set<() => void>();

/** Says `message` to a screen reader; the same message twice is said twice. */
export function announce(message: string): void {
  turn += 1;
  text = message;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Announcer() {
  const now = useSyncExternalStore(subscribe, () => turn);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" data-testid="announcer">
      <span key={now}>{text}</span>
    </div>
  );
}
