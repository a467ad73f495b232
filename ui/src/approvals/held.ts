/**
 * The cards of this visit in a stable order: oldest first, new ones at the end, and one that is decided or runs out stays
 * where it is and says what became of it, until the person hides it. Nothing jumps under a finger.
 */
import { useCallback, useEffect, useState } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { call } from '../api/client.ts';

export interface Held {
  readonly view: ProposalView;
  /** True while it is missing from its list and what became of it is not read yet. */
  readonly asking: boolean;
}

export interface HeldList {
  readonly held: readonly Held[];
  readonly settle: (view: ProposalView) => void;
  readonly hide: (id: string) => void;
}

export const proposalPath = (id: string, verb?: string): string =>
  `/api/addons/proposals/${encodeURIComponent(id)}${verb === undefined ? '' : `/${verb}`}`;

/** @param open the states in which a proposal is listed: one that is missing from the list has another by now. */
export function useHeld(listed: readonly ProposalView[] | undefined, open: readonly ProposalView['state'][]): HeldList {
  const [held, setHeld] = useState<readonly Held[]>([]);

  const settle = useCallback((view: ProposalView) => {
    setHeld((before) => before.map((entry) => (entry.view.id === view.id ? { view, asking: false } : entry)));
  }, []);
  const hide = useCallback((id: string) => setHeld((before) => before.filter(({ view }) => view.id !== id)), []);

  useEffect(() => {
    if (listed !== undefined) setHeld((before) => merge(before, listed, open));
  }, [listed, open]);

  const missing = held
    .filter(({ asking }) => asking)
    .map(({ view }) => view.id)
    .join();
  useEffect(() => {
    const abort = new AbortController();
    for (const id of missing === '' ? [] : missing.split(',')) {
      call<ProposalView>(proposalPath(id), { signal: abort.signal }).then(settle, () => {
        // It stays as "asking" and is read again with the next list.
      });
    }
    return () => abort.abort();
  }, [missing, settle]);

  return { held, settle, hide };
}

function merge(
  before: readonly Held[],
  listed: readonly ProposalView[],
  open: readonly ProposalView['state'][],
): readonly Held[] {
  const byId = new Map(listed.map((view) => [view.id, view]));
  const kept = before.map((entry): Held => {
    const view = byId.get(entry.view.id);
    if (view !== undefined) return entry.view === view ? entry : { view, asking: false };
    return open.includes(entry.view.state) ? { ...entry, asking: true } : entry;
  });
  const known = new Set(before.map(({ view }) => view.id));
  const fresh = listed
    .filter(({ id }) => !known.has(id))
    .sort((one, other) => one.createdAt.localeCompare(other.createdAt) || one.id.localeCompare(other.id));
  return [...kept, ...fresh.map((view) => ({ view, asking: false }))];
}
