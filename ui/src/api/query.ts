/**
 * One list that is read again and again (12:331-334): every 5 s, every 30 s in a hidden tab, doubling to 60 s while it
 * fails, keeping the last answer on screen; the pending read is cancelled when the last view leaves.
 */
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { type ApiError, asApiError } from './client.ts';

export interface Snapshot<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  /** True when the last read failed and what is shown is an older answer. */
  readonly outdated: boolean;
}

const VISIBLE_MS = 5_000;
const HIDDEN_MS = 30_000;
const LONGEST_MS = 60_000;

export class Query<T> {
  #snapshot: Snapshot<T> = { data: undefined, error: undefined, outdated: false };
  #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;
  #waiting: Promise<void> | undefined;
  #again = false;
  #failures = 0;

  constructor(
    private readonly read: (signal: AbortSignal) => Promise<T>,
    private readonly visibleMs = VISIBLE_MS,
  ) {}

  readonly snapshot = (): Snapshot<T> => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      document.addEventListener('visibilitychange', this.#seen);
      void this.refresh();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.#seen);
      clearTimeout(this.#timer);
      this.#abort?.abort();
    };
  };

  /** Whether a view shows this list now. */
  get watched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Reads now. A read asked for while one runs is done right after it, so that it cannot miss a change. */
  refresh(): Promise<void> {
    if (this.#waiting !== undefined) {
      this.#again = true;
      return this.#waiting;
    }
    this.#waiting = this.#readOnce().finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  readonly #seen = () => {
    if (document.visibilityState === 'visible') void this.refresh();
    else this.#schedule();
  };

  async #readOnce(): Promise<void> {
    clearTimeout(this.#timer);
    do {
      this.#again = false;
      const abort = new AbortController();
      this.#abort = abort;
      try {
        const data = await this.read(abort.signal);
        this.#failures = 0;
        this.#set(keepSame(this.#snapshot, data));
      } catch (thrown) {
        const error = asApiError(thrown);
        if (error.kind === 'aborted') return;
        this.#failures += 1;
        this.#set({ data: this.#snapshot.data, error, outdated: this.#snapshot.data !== undefined });
      }
    } while (this.#again && this.#listeners.size > 0);
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#listeners.size === 0) return;
    const base = document.visibilityState === 'hidden' ? HIDDEN_MS : this.visibleMs;
    const wait = Math.min(LONGEST_MS, base * 2 ** Math.min(this.#failures, 10));
    this.#timer = setTimeout(() => void this.refresh(), wait);
  }

  #set(next: Snapshot<T>): void {
    if (next === this.#snapshot) return;
    this.#snapshot = next;
    for (const listener of this.#listeners) listener();
  }
}

/** An equal answer keeps its identity, so that nothing is drawn again (and no approval card is disarmed) without a change. */
function keepSame<T>(old: Snapshot<T>, data: T): Snapshot<T> {
  const same = old.data !== undefined && JSON.stringify(old.data) === JSON.stringify(data);
  if (same && old.error === undefined) return old;
  return { data: same ? old.data : data, error: undefined, outdated: false };
}

export function useQuery<T>(query: Query<T>): Snapshot<T> {
  return useSyncExternalStore(query.subscribe, query.snapshot);
}

/** A query that belongs to one view and is made again when its key changes. */
export function useOwnQuery<T>(key: string, read: (signal: AbortSignal) => Promise<T>, visibleMs?: number): Query<T> {
  const held = useRef<{ key: string; query: Query<T> } | undefined>(undefined);
  if (held.current?.key !== key) held.current = { key, query: new Query(read, visibleMs) };
  return held.current.query;
}

/** A stable function that always runs the newest handler. */
export function useLatest<A extends readonly unknown[]>(handler: (...args: A) => void): (...args: A) => void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  return useCallback((...args: A) => latest.current(...args), []);
}
