/** Events of the stream `libraries`: what holds for all configured libraries at once (04:163-176). */
import { closed, t } from '../../contract/fp.js';
import { defineEvents, type EventOf } from '../event.js';

export const librariesEvents = defineEvents({
  /** Whether the sources that ship with the product are used; each keeps its own state meanwhile. */
  OfficialLibrariesSwitched: { version: 1, payload: closed('OfficialLibrariesSwitched', { on: t.boolean }) },
});

export type LibrariesEvent = EventOf<typeof librariesEvents>;
