/** Tells which lists changed for whom, once what changed is durable. */
import { isKnown } from '../../aggregates/proposal.js';
import type { ChangeKind } from '../../contract/api.js';
import type { RecordedEvent } from '../../events/event.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import type { OwnerState } from '../../projections/owner-state.js';
import type { Store } from '../store.js';

export type ListChange = Extract<ChangeKind, 'proposals' | 'resources'>;
/** `userId` is undefined when it is not known any more whose entry it was: everybody may look again. */
export type ChangeListener = (kind: ListChange, userId: string | undefined) => void;

function changeOf(
  state: OwnerState,
  { stream, actor }: RecordedEvent,
): { kind: ListChange; userId?: string } | undefined {
  const hyphen = stream.indexOf('-');
  const id = stream.slice(hyphen + 1);
  switch (stream.slice(0, hyphen)) {
    case 'proposal': {
      const proposal = state.get(proposalKind, id);
      const userId = isKnown(proposal) ? proposal.record.proposer.userId : actor?.userId;
      return userId === undefined ? { kind: 'proposals' } : { kind: 'proposals', userId };
    }
    case 'resource': {
      const resource = state.get(resourceKind, id);
      if (resource.state === 'reserved') return undefined;
      const userId = resource.state === 'active' ? resource.owner.userId : actor?.userId;
      return userId === undefined ? { kind: 'resources' } : { kind: 'resources', userId };
    }
    default:
      return undefined;
  }
}

export class Changes {
  private readonly listeners = new Set<ChangeListener>();

  constructor(store: Store) {
    store.journal.onDurable((records) => {
      if (this.listeners.size === 0) return;
      const told = new Set<string>();
      for (const record of records) {
        const change = changeOf(store.visible, record);
        if (change === undefined) continue;
        const key = `${change.kind} ${change.userId ?? ''}`;
        if (told.has(key)) continue;
        told.add(key);
        for (const listener of this.listeners) listener(change.kind, change.userId);
      }
    });
  }

  /** Adds a listener; the returned function removes it. A listener must not throw. */
  on(listener: ChangeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
