/** What `castellan journal ...` asks of the running server: the digest of its state, and to hold what is being read. */
import { randomUUID } from 'node:crypto';
import type { Store } from '../commands/store.js';
import { closed, isLeft, left, right, t } from '../contract/fp.js';
import { refuse } from '../contract/refusal.js';
import type { Hold } from '../events/inspect/kept.js';
import { stateDigest } from '../events/inspect/replay.js';
import { askServer } from './control/client.js';
import type { ControlCommands } from './control/protocol.js';

/** A reader that went away without a word is forgotten after this. */
const HOLD_MS = 120_000;
/** A reader says this often that it is still there. */
const RENEW_MS = 30_000;
/** The file of the journal grows while anything is held. */
const MOST_HOLDS = 16;

const held = closed('hold', { id: t.string });

interface Kept {
  readonly release: () => void;
  readonly forget: NodeJS.Timeout;
}

export function journalControl(store: Pick<Store, 'journal' | 'visible'>, holdMs = HOLD_MS): ControlCommands {
  const holds = new Map<string, Kept>();
  const end = (id: string): boolean => {
    const kept = holds.get(id);
    if (kept === undefined) return false;
    holds.delete(id);
    clearTimeout(kept.forget);
    kept.release();
    return true;
  };
  return {
    'journal.state': async () =>
      right({ position: store.journal.head().position, stateDigest: stateDigest(store.visible) }),
    'journal.hold': async () => {
      if (holds.size >= MOST_HOLDS)
        return left(refuse('busy', `${MOST_HOLDS} readings of the journal are under way. Wait for one to end.`));
      const id = randomUUID();
      const forget = setTimeout(() => end(id), holdMs).unref();
      holds.set(id, { release: store.journal.hold(), forget });
      return right({ id });
    },
    'journal.renew': async (args) => {
      const kept = held.is(args) ? holds.get(args.id) : undefined;
      kept?.forget.refresh();
      return right({ held: kept !== undefined });
    },
    'journal.release': async (args) => {
      if (!held.is(args)) return left(refuse('invalid_request', 'What is to be released needs an id.'));
      return right({ held: end(args.id) });
    },
  };
}

/** Holds by way of the server that runs on this root, if one does. */
export function holdOf(runtimeDir: string): Hold {
  return async () => {
    const asked = await askServer(runtimeDir, 'journal.hold', {});
    if (asked === undefined) return right(undefined);
    if (isLeft(asked)) return left(asked.left.message);
    const id = asked.right as { readonly id: string };
    const renewing = setInterval(() => void askServer(runtimeDir, 'journal.renew', id), RENEW_MS).unref();
    return right(async () => {
      clearInterval(renewing);
      const released = await askServer(runtimeDir, 'journal.release', id);
      return released !== undefined && !isLeft(released) && (released.right as { readonly held: boolean }).held;
    });
  };
}
