/** Keeps one generation of an add-on running: launches, readiness, health, backoff, and an end that is confirmed. */
import type { LaunchSpec } from '../commands/ports.js';
import { type Either, left, right } from '../contract/fp.js';
import { AttemptBudget } from './backoff.js';
import { describeExit, SIGKILL } from './child.js';
import { pause } from './deadlines.js';
import { endProcess } from './ending.js';
import { untilWell } from './health.js';
import type { Held } from './held.js';
import { type Deps, type Launched, type LaunchFailure, launch } from './launch.js';
import type { LogSink } from './log-sink.js';
import type { Places } from './places.js';
import type { BoundClient } from './runtime-client.js';
import { watch } from './watch.js';

export type Failure = { readonly reason: string };

/** How one launch ended; `final` ends the whole run. */
type Attempt = LaunchFailure;

const STOPPED = 'it was stopped';

export class Run {
  state: 'starting' | 'running' | 'failed' | 'stopped' = 'starting';
  /** Why it is not serving, in words; of the last attempt. */
  reason: string | undefined;
  restarts = 0;
  /** Why it was started anew the last time. */
  restartReason: string | undefined;
  /** The ready incarnation. */
  client: BoundClient | undefined;
  /** Resolves when nothing of this run is left: no process, no attempt. Never rejects. */
  readonly ended: Promise<void>;

  private readonly stopping = new AbortController();
  private readonly budget: AttemptBudget;
  private waiting: ((outcome: Either<Failure, void>) => void)[] = [];
  private over = false;
  /** What runs now; kept so that a fault of ours does not leave it behind. */
  private process: Launched | undefined;

  constructor(
    private readonly deps: Deps,
    readonly spec: LaunchSpec,
    private readonly sink: LogSink,
    private readonly places: Places,
    private readonly changed: () => void,
  ) {
    this.budget = new AttemptBudget(deps.settings.limits);
    this.ended = this.keepRunning().catch((fault: unknown) => this.fault(fault));
  }

  /** Withdraws the capabilities at once and lets the process end; `ended` tells when it has. */
  stop(): void {
    if (this.stopping.signal.aborted) return;
    this.state = 'stopped';
    this.withdraw(STOPPED);
    this.stopping.abort();
    this.changed();
  }

  /** Right at once when it is ready; else how the present or next launch turns out. */
  outcome(): Promise<Either<Failure, void>> {
    if (this.state === 'running') return Promise.resolve(right(undefined));
    if (!this.active) return Promise.resolve(left({ reason: this.reason ?? STOPPED }));
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  get held(): Held | undefined {
    return this.process?.held;
  }

  private settle(outcome: Either<Failure, void>): void {
    for (const resolve of this.waiting.splice(0)) resolve(outcome);
  }

  /** True while it has, or may still start, a process. */
  get active(): boolean {
    return !this.over && !this.stopping.signal.aborted;
  }

  private async keepRunning(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const place = await this.places.take(signal);
      if (signal.aborted) {
        place();
        break;
      }
      this.budget.begin();
      const attempt = await this.attempt(place).finally(place);
      if (signal.aborted) break;
      this.reason = attempt.reason;
      const { addonId, generation } = this.spec;
      this.deps.log.warn({ addonId, generation, reason: attempt.reason }, 'add-on process is not serving');
      this.settle(left({ reason: attempt.reason }));
      const wait = attempt.final || this.deps.fence.reason() !== undefined ? undefined : this.budget.next();
      this.set(wait === undefined ? 'failed' : 'starting');
      if (wait === undefined) {
        if (attempt.incarnation !== undefined) await this.deps.ledger.attemptsSpent(addonId, attempt.incarnation);
        break;
      }
      await pause(this.deps.clock, wait, signal);
      if (signal.aborted) break;
      this.restarts += 1;
      this.restartReason = attempt.reason;
    }
    this.over = true;
    this.settle(left({ reason: this.reason ?? STOPPED }));
  }

  /** One launch, from its intent to its confirmed end. `ready` gives the starting place back early. */
  private async attempt(ready: () => void): Promise<Attempt> {
    const { deps, spec, sink } = this;
    const { signal } = this.stopping;
    const launched = await launch(deps, spec, sink, signal);
    if (launched._tag === 'Left') return launched.left;
    const process = launched.right;
    this.process = process;
    const watching = new AbortController();
    const passed = process.held.passed(watching.signal);
    try {
      return await this.serve(process, passed, ready);
    } finally {
      watching.abort();
    }
  }

  /** `passed`: a limit was passed. */
  private async serve(process: Launched, passed: Promise<string>, ready: () => void): Promise<Attempt> {
    const { deps, spec } = this;
    const { signal } = this.stopping;
    const late = await Promise.race([this.untilReady(process), passed]);
    if (late !== undefined) return this.end(process, late, false);
    const recorded = await deps.ledger.ready(spec.addonId, process.client.incarnation);
    if (recorded._tag === 'Left')
      return this.end(process, `its readiness could not be recorded: ${recorded.left.message}`, false);
    ready();
    if (!signal.aborted) this.publish(process.client);
    const why = await Promise.race([watch(deps, process, signal, () => this.budget.restore()), passed]);
    return this.end(process, why, signal.aborted);
  }

  /** Undefined when it is ready; else why it is not, within the readiness limit. */
  private async untilReady({ child, client, registration }: Launched): Promise<string | undefined> {
    const { clock, deadlines, settings } = this.deps;
    const { signal } = this.stopping;
    const given = new AbortController();
    const giveUp = () => given.abort();
    const cancel = deadlines.start(settings.readinessMs, giveUp);
    // It may have been stopped while its process was recorded.
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const asking = { clock, callMs: settings.readinessMs, signal: given.signal };
      const seen = await Promise.race([untilWell(client, registration, asking), child.exited]);
      if (!('kind' in seen)) return `it ${describeExit(seen)} before it was ready`;
      if (signal.aborted) return STOPPED;
      if (seen.kind === 'well') return undefined;
      return seen.kind === 'other'
        ? seen.reason
        : `it was not ready within ${settings.readinessMs / 1000} seconds; ${seen.reason}`;
    } finally {
      cancel();
      signal.removeEventListener('abort', giveUp);
      given.abort();
    }
  }

  private publish(client: BoundClient): void {
    this.client = client;
    this.reason = undefined;
    this.set('running');
    this.settle(right(undefined));
  }

  private withdraw(why: string): void {
    this.client?.withdraw(why);
    this.client = undefined;
  }

  private async end(launched: Launched, reason: string, drain: boolean): Promise<Attempt> {
    this.withdraw(reason);
    if (this.state === 'running') this.set('starting');
    const { addonId } = this.spec;
    const { incarnation } = launched.client;
    await endProcess(this.deps, { addonId, incarnation, launched, reason, drain });
    this.process = undefined;
    const limit = launched.held.release();
    return { reason: this.deps.fence.reason() ?? limit ?? reason, final: false, incarnation };
  }

  private set(state: Run['state']): void {
    if (this.stopping.signal.aborted || this.state === state) return;
    this.state = state;
    this.changed();
  }

  /** A fault of the owner itself: its process is ended, and nothing is launched any more. */
  private async fault(fault: unknown): Promise<void> {
    const { addonId } = this.spec;
    this.deps.log.error({ addonId, fault: fault instanceof Error ? fault.stack : String(fault) }, 'supervisor fault');
    this.reason = 'the supervisor failed; nothing is started any more until the server is restarted';
    this.deps.fence.raise(`The supervision of ${addonId} failed. Restart the server.`);
    this.withdraw('the supervisor failed');
    this.set('failed');
    this.settle(left({ reason: this.reason }));
    this.process?.child.signal(SIGKILL);
    await this.process?.child.exited;
    this.over = true;
  }
}
