/** The one stream `libraries`. */
import { type Libraries, libraries, type SwitchOfficial } from '../../aggregates/libraries.js';
import type { LibrariesEvent } from '../../events/catalogue/libraries.js';
import type { StreamKind } from '../owner-state.js';

export const librariesKind: StreamKind<Libraries, SwitchOfficial, LibrariesEvent> = {
  name: 'libraries',
  decider: libraries,
};
