/** The address bar as state: a handful of views, their query parameters, and links that do not reload the page. */
import { type AnchorHTMLAttributes, type MouseEvent, useMemo, useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
window.addEventListener('popstate', tell);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const current = () => location.pathname + location.search;

export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === current()) return;
  if (options.replace === true) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  tell();
}

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, current);
  return useMemo(() => {
    const url = new URL(address, location.origin);
    return { path: url.pathname.replace(/\/+$/, '') || '/', query: url.searchParams };
  }, [address]);
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string };

export function Link({ href, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !plain) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}
