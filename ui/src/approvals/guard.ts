/**
 * Keeps a click that was meant for something else from confirming: Confirm stays out of reach for 700 ms after its card
 * appears, moves, changes or the window regains focus (decisions, "Design" 9). The check is made at the click itself.
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

export const GUARD_MS = 700;
const LOOK_MS = 100;

export interface Guard {
  readonly ready: boolean;
  /** Whether a click may act now; looks once more at where the card stands. */
  readonly allows: () => boolean;
}

/**
 * Where the card stands on the page, scrolling left out: that is the person's own move. But its buttons stick to the lower
 * edge of the window, so scrolling from one card to the next puts the next Confirm where the last one was: buttons that
 * come into view count as a card that appears.
 */
function placeOf(element: HTMLElement): string {
  const { left, top, width } = element.getBoundingClientRect();
  const foot = element.querySelector('.approval-foot')?.getBoundingClientRect();
  const seen = foot !== undefined && foot.bottom > 0 && foot.top < window.innerHeight;
  return [...[left + window.scrollX, top + window.scrollY, width].map(Math.round), seen].join();
}

/** Guards the card in `card`; `content` stands for everything it says that a person would judge. */
export function useGuard(card: RefObject<HTMLElement | null>, content: string): Guard {
  const [ready, setReady] = useState(false);
  const readyAt = useRef(Number.POSITIVE_INFINITY);
  const place = useRef('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const disarm = useCallback(() => {
    readyAt.current = performance.now() + GUARD_MS;
    setReady(false);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setReady(true), GUARD_MS);
  }, []);

  const moved = useCallback(() => {
    const now = card.current === null ? '' : placeOf(card.current);
    if (now === place.current) return false;
    place.current = now;
    disarm();
    return true;
  }, [card, disarm]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new content is a reason to look again
  useEffect(disarm, [content, disarm]);

  useEffect(() => {
    moved();
    const look = setInterval(moved, LOOK_MS);
    const seen = () => {
      if (document.visibilityState === 'visible') disarm();
    };
    window.addEventListener('focus', disarm);
    window.addEventListener('pageshow', disarm);
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(look);
      clearTimeout(timer.current);
      window.removeEventListener('focus', disarm);
      window.removeEventListener('pageshow', disarm);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [moved, disarm]);

  const allows = useCallback(
    () => !moved() && document.visibilityState === 'visible' && performance.now() >= readyAt.current,
    [moved],
  );
  return { ready, allows };
}
