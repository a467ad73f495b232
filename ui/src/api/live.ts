/**
 * Live changes with one event stream per browser, however many tabs it has (wire, "Routes"): the tab that holds a web lock
 * opens `GET /api/events` and hands what it hears to the others. Without locks or while the stream is down, polling does it.
 */
import type { ChangeKind } from '../../../src/contract/api.ts';

type Listener = (kind: ChangeKind) => void;
interface Message {
  readonly kind?: ChangeKind;
  readonly up?: boolean;
  readonly ask?: true;
}

const NAME = 'castellan-events';
const REOPEN_MS = 5_000;
const QUIET_MS = 20_000;
const KINDS: readonly string[] = ['apps', 'proposals', 'resources', 'artifacts'];

const listeners = new Map<ChangeKind, Set<() => void>>();
const statusListeners = new Set<() => void>();
let up = false;

const setUp = (next: boolean) => {
  if (up === next) return;
  up = next;
  for (const listener of statusListeners) listener();
};
const hear: Listener = (kind) => {
  for (const listener of listeners.get(kind) ?? []) listener();
};

/** Calls `listener` after each change of that kind, from whichever tab heard it. */
export function onChange(kind: ChangeKind, listener: () => void): () => void {
  const set = listeners.get(kind) ?? new Set();
  listeners.set(kind, set.add(listener));
  return () => set.delete(listener);
}

export const liveStatus = {
  subscribe: (listener: () => void) => {
    statusListeners.add(listener);
    return () => statusListeners.delete(listener);
  },
  snapshot: () => up,
};

function openStream(tell: (message: Message) => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  const open = () => {
    source = new EventSource('/api/events');
    source.addEventListener('open', () => {
      tell({ up: true });
      // What changed while no stream was open was missed: everything is read once.
      for (const kind of KINDS) tell({ kind: kind as ChangeKind });
    });
    source.addEventListener('changed', (event) => {
      const kind = kindOf(event.data);
      if (kind !== undefined) tell({ kind });
    });
    source.addEventListener('error', () => {
      tell({ up: false });
      source?.close();
      clearTimeout(timer);
      if (!closed) timer = setTimeout(open, REOPEN_MS + Math.random() * REOPEN_MS);
    });
  };
  open();
  return () => {
    closed = true;
    clearTimeout(timer);
    source?.close();
  };
}

function kindOf(data: unknown): ChangeKind | undefined {
  try {
    const { kind } = JSON.parse(String(data)) as { kind?: unknown };
    return typeof kind === 'string' && KINDS.includes(kind) ? (kind as ChangeKind) : undefined;
  } catch {
    return undefined;
  }
}

/** Starts listening; called once when the page starts. */
export function startLive(): void {
  if (navigator.locks === undefined || typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(NAME);
  let leading = false;
  let lastWord = 0;
  const take = (message: Message) => {
    lastWord = Date.now();
    if (message.up !== undefined) setUp(message.up);
    if (message.kind !== undefined) hear(message.kind);
  };
  const tell = (message: Message) => {
    take(message);
    channel.postMessage(message);
  };
  channel.addEventListener('message', (event: MessageEvent<Message>) => {
    if (event.data.ask === true) {
      if (leading) channel.postMessage({ up });
    } else take(event.data);
  });
  channel.postMessage({ ask: true });
  // A leading tab that the browser froze says nothing; then the others must not believe that they hear everything.
  setInterval(() => {
    if (leading) return;
    if (Date.now() - lastWord > QUIET_MS) setUp(false);
    channel.postMessage({ ask: true });
  }, QUIET_MS / 2);
  void navigator.locks.request(NAME, () => {
    leading = true;
    const close = openStream(tell);
    return new Promise<void>((release) => {
      window.addEventListener('pagehide', () => {
        close();
        release();
      });
      window.addEventListener('pageshow', (event) => {
        if (event.persisted) location.reload();
      });
    });
  });
}
