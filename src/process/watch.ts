/** Watches a ready process until it exits, is not well any more, or is to stop (07:50-53). */
import { describeExit } from './child.js';
import { pause } from './deadlines.js';
import { judge } from './health.js';
import type { Deps, Launched } from './launch.js';

/**
 * Resolves with the reason, in words. `sustained` is called each time the process has been well for the sustained
 * span. While calls are under way a health answer may take as long as the longest ordinary call, since an add-on may
 * serve one thing at a time; it may not take longer.
 */
export async function watch(
  deps: Deps,
  { child, client, registration }: Launched,
  signal: AbortSignal,
  sustained: () => void,
): Promise<string> {
  const done = new AbortController();
  const stopped = new Promise<string>((resolve) => {
    if (signal.aborted) resolve('it was stopped');
    else signal.addEventListener('abort', () => resolve('it was stopped'), { once: true, signal: done.signal });
  });
  const exited = child.exited.then((exit) => `it ${describeExit(exit)}`);
  const unwell = check(deps, { child, client, registration }, done.signal, sustained);
  try {
    return await Promise.race([stopped, exited, unwell]);
  } finally {
    done.abort();
  }
}

async function check(
  deps: Deps,
  launched: Omit<Launched, 'held'>,
  signal: AbortSignal,
  sustained: () => void,
): Promise<string> {
  const { clock, settings } = deps;
  const { client, registration } = launched;
  let well = 0;
  for (;;) {
    await pause(clock, settings.healthEveryMs, signal);
    if (signal.aborted) return 'it is watched no longer';
    const allowed = client.busy ? settings.busyHealthTimeoutMs : settings.healthTimeoutMs;
    const health = judge(await client.health(allowed, signal), registration);
    if (signal.aborted) return 'it is watched no longer';
    if (health.kind !== 'well') return health.reason;
    well += settings.healthEveryMs;
    if (well >= settings.sustainedMs) {
      well = 0;
      sustained();
    }
  }
}
