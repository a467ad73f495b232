/**
 * What the lifecycle does at the start of the owner: finish what was in flight, sweep abandoned stages, and start what
 * is enabled (06:274-299; 07:3-22). No command is taken before `reconcileLifecycle` answered.
 */

import { dropCandidateData } from '../commands/lifecycle/candidate-data.js';
import type { Lifecycle } from '../commands/lifecycle/index.js';
import { finish, unfinished } from '../commands/lifecycle/reconcile.js';
import type { Clock } from '../commands/ports.js';
import { type Either, isLeft, right } from '../contract/fp.js';
import type { Refusal } from '../contract/refusal.js';
import { allInstalled } from '../projections/installed.js';

/** At the start at most so many add-ons start at the same time (06:298). */
const AT_ONCE = 4;
/** As long as the supervisor keeps a place for a launch that is not ready yet. */
const TURN_MS = 3_000;

/**
 * Brings every unfinished operation to its end, removes abandoned stages, and ends what a dead owner left running.
 * Published packages are kept, unreferenced ones too. Left says why the owner must not serve.
 */
export async function reconcileLifecycle(lifecycle: Lifecycle): Promise<Either<Refusal, void>> {
  const { context } = lifecycle;
  // What an owner holds whose journal failed proves nothing; only a new owner settles it (07:98-103).
  const settled = await context.store.settled();
  if (isLeft(settled)) return settled;
  for (const operationId of unfinished(lifecycle, () => false)) {
    const done = await finish(lifecycle, operationId);
    if (isLeft(done)) return done;
  }
  const swept = await context.packages.sweep();
  if (isLeft(swept)) return swept;
  if (swept.right.removed > 0) context.log.info({ removed: swept.right.removed }, 'Removed abandoned stages');
  const recovered = await context.runtimes.recover();
  // The supervisor launches nothing for an add-on whose former process is uncertain; the others and the server go on.
  if (isLeft(recovered))
    context.log.error({ reason: recovered.left.reason }, 'A process of the last run may still live; look for it');
  for (const { addonId } of allInstalled(context.store.visible)) {
    const dropped = await dropCandidateData(context, addonId);
    if (isLeft(dropped))
      context.log.error({ addonId, reason: dropped.left.reason }, 'A failed upgrade left data behind');
  }
  lifecycle.open();
  return right(undefined);
}

/**
 * To be called after `reconcileLifecycle`. Starts every enabled add-on, four at a time; one that takes long gives its
 * turn to the next. One that does not start costs a log line and stays enabled; the others start, and nothing waits for
 * this. Resolves when each has started or failed.
 */
export async function startEnabled(lifecycle: Lifecycle): Promise<void> {
  const { context, sync } = lifecycle;
  const waiting = allInstalled(context.store.visible).filter(({ enabled }) => enabled);
  sync.expect(waiting.map(({ addonId }) => addonId));
  // Launches keep the event loop busy: the server answers first.
  await new Promise((resume) => setImmediate(resume));
  const all: Promise<void>[] = [];
  const start = async (addonId: string): Promise<void> => {
    const started = await sync.bring(addonId);
    if (isLeft(started)) context.log.warn({ addonId, reason: started.left.reason }, 'An enabled add-on did not start');
  };
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const started = start(next.addonId);
      all.push(started);
      await turnOf(context.clock, started);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await Promise.all(all);
}

/** Resolves when the start is over, or has had its turn for long enough. */
function turnOf(clock: Clock, started: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(TURN_MS, resolve);
    void started.finally(() => {
      cancel();
      resolve();
    });
  });
}
