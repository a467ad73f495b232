/** One tick a second for every countdown on the page, by the server's clock. */
import { useSyncExternalStore } from 'react';
import { serverNow } from '../api/client.ts';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds until `time`, in whole seconds, never below zero. */
export function useLeft(time: string): number {
  const read = () => Math.max(0, Math.ceil((Date.parse(time) - serverNow()) / 1_000)) * 1_000;
  const left = useSyncExternalStore(subscribe, read);
  return Number.isNaN(left) ? 0 : left;
}
