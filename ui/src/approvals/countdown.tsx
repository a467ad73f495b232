/** Time left on a card. It changes each second for the eye; a screen reader hears only the last minute and the last seconds. */
import { useEffect, useRef } from 'react';
import { announce } from '../app/announce.tsx';
import { Icon } from '../parts/icons.tsx';
import { left } from '../text/format.ts';
import { useLeft } from './clock.ts';

const SAID_AT_MS = [60_000, 15_000] as const;

export function Countdown({ until, title }: { readonly until: string; readonly title: string }) {
  const ms = useLeft(until);
  const before = useRef(ms);
  useEffect(() => {
    const passed = SAID_AT_MS.find((mark) => before.current > mark && ms <= mark && ms > 0);
    if (passed !== undefined) announce(`${title}: ${left(ms)} left to decide.`);
    before.current = ms;
  }, [ms, title]);
  const late = ms <= 60_000;
  return (
    <span className={late ? 'countdown countdown-late' : 'countdown'} role="timer" aria-live="off">
      <Icon name="clock" size={16} />
      {ms === 0 ? 'Time is up' : `${left(ms)} left`}
    </span>
  );
}
