/** The one switch over all sources that ship with the product (04:163-176). */
import { right } from '../contract/fp.js';
import type { LibrariesEvent } from '../events/catalogue/libraries.js';
import type { Decider } from './decider.js';

export interface Libraries {
  /** Undefined until somebody decided; the flag of the start counts then. */
  readonly official?: boolean;
}

export interface SwitchOfficial {
  readonly type: 'switch-official';
  readonly on: boolean;
}

export const libraries: Decider<Libraries, SwitchOfficial, LibrariesEvent> = {
  initial: {},
  decide: (state, { on }) =>
    right(state.official === on ? [] : [{ type: 'OfficialLibrariesSwitched', payload: { on } }]),
  evolve: (_state, event) => ({ official: event.payload.on }),
};
