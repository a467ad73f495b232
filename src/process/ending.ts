/** Ends one process: admission first, then a bounded wait for its calls, SIGTERM, SIGKILL, and the confirmed end (07:66-75). */
import { type Exit, SIGKILL, SIGTERM } from './child.js';
import { type Deps, type Launched, recordExit } from './launch.js';

export interface Ending {
  readonly addonId: string;
  readonly incarnation: string;
  readonly launched: Launched;
  /** In words: why it ends. */
  readonly reason: string;
  /** Whether its calls get time to finish; a process that is not well any more gets none. */
  readonly drain: boolean;
}

/**
 * Resolves when the end is confirmed and recorded, however long that takes: the place of the add-on stays reserved
 * until then. Half a shutdown interval is for the calls, half for SIGTERM; SIGKILL comes after one whole interval.
 */
export async function endProcess(deps: Deps, { addonId, incarnation, launched, reason, drain }: Ending): Promise<Exit> {
  const { child, client } = launched;
  const half = deps.settings.limits.shutdownTimeoutMs / 2;
  client.withdraw(reason);
  const exited = child.exited.then((exit) => ({ exit }));
  const draining = deps.ledger.draining(addonId, incarnation);
  const early = drain ? await deps.deadlines.within(half, Promise.race([client.idle(), exited]), undefined) : undefined;
  client.abandon();
  if (early === undefined || !('exit' in early)) child.signal(SIGTERM);
  const gently = await deps.deadlines.within(half, exited, undefined);
  if (gently === undefined) {
    deps.log.warn({ addonId, incarnation, pid: child.pid }, 'add-on process did not end at SIGTERM and is killed');
    child.signal(SIGKILL);
  }
  const { exit } = await exited;
  // The order of the stream: its draining is decided before its exit, and a failure of it shows again at the exit.
  await draining;
  await recordExit(deps, addonId, incarnation, exit, reason);
  return exit;
}
