/**
 * Ends what a dead owner left running, before anything is launched (07:33-45). A process is recognised by boot, pid
 * namespace, pid and start time, and is signalled only through a handle that was opened before it was recognised.
 *
 * A launch whose pid was never recorded is looked for by what it was started as. One look is enough: a fork of the old
 * owner that had not yet executed still held the owner lock, so whoever holds the lock now sees only what did.
 */
import { closeSync } from 'node:fs';
import type { Clock, LaunchLedger, RecordedLaunch } from '../commands/ports.js';
import { type Either, left, right } from '../contract/fp.js';
import { SIGKILL, SIGTERM } from './child.js';
import type { Deadlines } from './deadlines.js';
import { holdOpen, pause } from './deadlines.js';
import { type Finding, gone, uncertain } from './finding.js';
import { findLaunch } from './launch-search.js';
import type { Libc } from './libc.js';
import type { Proc, World } from './proc.js';

const POLL_MS = 20;

export interface RecoveryDeps {
  readonly ledger: LaunchLedger;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly libc: Libc;
  readonly proc: Proc;
  readonly shutdownTimeoutMs: number;
}

/**
 * Settles every launch that is not known to have ended, all at once; what each comes to, by add-on. One that ignores
 * SIGTERM takes a shutdown interval, so whoever needs one add-on waits for that one alone. Throws when the kernel does
 * not tell which run of it this is.
 */
export function recoverLaunches(deps: RecoveryDeps): ReadonlyMap<string, Promise<Finding>> {
  const world = deps.proc.world();
  return new Map(
    deps.ledger.unfinished().map((launch) => {
      const letGo = holdOpen();
      return [launch.addonId, settle(deps, launch, world).finally(letGo)];
    }),
  );
}

async function settle(deps: RecoveryDeps, launch: RecordedLaunch, world: World): Promise<Finding> {
  const finding = await endLaunch(deps, launch, world);
  const { addonId, incarnation } = launch;
  const recorded =
    finding.kind === 'gone'
      ? await deps.ledger.exited(addonId, incarnation, { reason: finding.reason })
      : await deps.ledger.uncertain(addonId, incarnation, finding.reason);
  return recorded._tag === 'Right' ? finding : { kind: 'unrecorded', reason: recorded.left.message };
}

async function endLaunch(deps: RecoveryDeps, launch: RecordedLaunch, world: World): Promise<Finding> {
  if (launch.bootId !== world.bootId) return gone('the machine was started anew since');
  if (launch.pidNamespace !== world.pidNamespace) return gone('the container was started anew since');
  try {
    const opened = launch.pid === undefined ? findLaunch(deps, launch) : openRecorded(deps, launch, launch.pid);
    if (opened._tag === 'Left') return opened.left;
    return await endThrough(deps, opened.right, launch);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return uncertain(`the kernel did not tell whether its process still runs (${why})`);
  }
}

/** The handle first, then the start time: only in this order is it the start time of what the handle names. */
function openRecorded(deps: RecoveryDeps, launch: RecordedLaunch, pid: number): Either<Finding, number> {
  const handle = deps.libc.openProcess(pid);
  if (handle === undefined) return left(gone('its process had ended'));
  let startTime: string | undefined;
  try {
    startTime = deps.proc.startTime(pid);
  } catch (error) {
    closeSync(handle);
    throw error;
  }
  if (startTime === launch.startTime) return right(handle);
  const ended = deps.libc.ended([handle])[0] === true;
  closeSync(handle);
  if (startTime === undefined && !ended) return left(uncertain(`process ${pid} could not be identified`));
  return left(gone('its process had ended, and its number belongs to another one'));
}

async function endThrough(deps: RecoveryDeps, handle: number, launch: RecordedLaunch): Promise<Finding> {
  try {
    for (const signal of [SIGTERM, SIGKILL]) {
      deps.libc.signal(handle, signal, signal === SIGKILL);
      if (await endedWithin(deps, handle)) {
        // What it started and left in its process group ends with it.
        deps.libc.signal(handle, SIGKILL, true);
        return gone('it was left running by an earlier owner and was ended');
      }
    }
    return uncertain(`process ${launch.pid ?? '(unrecorded)'} did not end at SIGKILL`);
  } finally {
    closeSync(handle);
  }
}

async function endedWithin(deps: RecoveryDeps, handle: number): Promise<boolean> {
  const late = new AbortController();
  const cancel = deps.deadlines.start(deps.shutdownTimeoutMs, () => late.abort());
  try {
    for (;;) {
      if (deps.libc.ended([handle])[0] === true) return true;
      if (late.signal.aborted) return false;
      await pause(deps.clock, POLL_MS, late.signal);
    }
  } finally {
    cancel();
  }
}
