/** The digest of the live state, for `castellan journal replay` beside a running server. */
import type { Store } from '../commands/store.js';
import { right } from '../contract/fp.js';
import { stateDigest } from '../events/inspect/replay.js';
import type { ControlCommands } from './control/protocol.js';

export function replayControl(store: Store): ControlCommands {
  return {
    'journal.state': async () =>
      right({ position: store.journal.head().position, stateDigest: stateDigest(store.visible) }),
  };
}
