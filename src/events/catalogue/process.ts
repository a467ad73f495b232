/** Events of `process-<addonId>`: what the owner knows for certain about the processes it launched (07:33-45). */
import { closed } from '../../contract/fp.js';
import { defineEvents, type EventOf } from '../event.js';
import { natural, positive, text } from './codecs.js';

const incarnation = text(64, 1);
/** Which kernel run and which pid namespace the pid means something in. */
const world = { bootId: text(64, 1), pidNamespace: text(64, 1) };
const path = text(4_096, 1);

export const processEvents = defineEvents({
  /** Durable before the executable is run. `executable` and `dataDir` are absolute and lie in the owner root. */
  LaunchPending: {
    version: 1,
    payload: closed('LaunchPending', { incarnation, generation: positive, executable: path, dataDir: path, ...world }),
  },
  /** Durable before the process is given its credential. `startTime`: clock ticks since boot, as the kernel prints it. */
  ProcessStarted: {
    version: 1,
    payload: closed('ProcessStarted', { incarnation, pid: positive, startTime: text(20, 1), ...world }),
  },
  ProcessReady: { version: 1, payload: closed('ProcessReady', { incarnation }) },
  ProcessDraining: { version: 1, payload: closed('ProcessDraining', { incarnation }) },
  /** The end is confirmed, or it is certain that the process never started. */
  ProcessExited: {
    version: 1,
    payload: closed('ProcessExited', { incarnation, reason: text(500) }, { code: natural, signal: text(16, 1) }),
  },
  /** It could not be established whether the process still runs. */
  LaunchUncertain: { version: 1, payload: closed('LaunchUncertain', { incarnation, reason: text(500) }) },
  /** No further automatic launch, until a person or a restart asks for one. */
  AttemptBudgetSpent: { version: 1, payload: closed('AttemptBudgetSpent', { incarnation }) },
});

export type ProcessEvent = EventOf<typeof processEvents>;
