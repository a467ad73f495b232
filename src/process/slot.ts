/** The place of one add-on: at most one run at a time, reserved until the end of the last one is confirmed (07:66-75). */
import type { LaunchSpec, Observation, Runtimes } from '../commands/ports.js';
import { type Either, left, right } from '../contract/fp.js';
import { holdOpen } from './deadlines.js';
import type { Deps } from './launch.js';
import { LogSink } from './log-sink.js';
import type { Places } from './places.js';
import { type Failure, Run } from './run.js';
import type { BoundClient } from './runtime-client.js';

const LATE = Symbol('late');

export class Slot {
  readonly sink: LogSink;
  private run: Run | undefined;
  /** Counts the calls of start and stop: an older one must not undo what a newer one wants. */
  private wish = 0;

  constructor(
    private readonly addonId: string,
    private readonly deps: Deps,
    private readonly places: Places,
    private readonly changed: () => void,
  ) {
    const { clock, log } = deps;
    this.sink = new LogSink(clock, (line, stream) => log.info({ addonId, stream, line }, 'add-on output'));
  }

  /** Right when this generation is ready. Waits at most the readiness limit and two shutdown intervals (07:74-75). */
  async start(spec: LaunchSpec): Promise<Either<Failure, void>> {
    this.wish += 1;
    const { readinessMs, limits } = this.deps.settings;
    const longest = readinessMs + 2 * limits.shutdownTimeoutMs;
    const outcome = await this.deps.deadlines.within(longest, this.startNow(spec, this.wish), LATE);
    return outcome === LATE ? left({ reason: this.run?.reason ?? 'it is waiting for a place to start' }) : outcome;
  }

  private async startNow(spec: LaunchSpec, wish: number): Promise<Either<Failure, void>> {
    if (this.run?.active === true && this.run.spec.generation === spec.generation) return this.run.outcome();
    while (this.run !== undefined) {
      const stopped = await this.endRun(this.run);
      if (stopped._tag === 'Left') return stopped;
      if (this.wish !== wish) return left({ reason: 'a later command replaced this one' });
    }
    const fenced = this.deps.fence.reason();
    if (fenced !== undefined) return left({ reason: fenced });
    this.run = new Run(this.deps, spec, this.sink, this.places, this.changed);
    this.changed();
    return this.run.outcome();
  }

  /** Right when nothing of this add-on is left running; waits at most two shutdown intervals. */
  async stop(): Promise<Either<Failure, void>> {
    this.wish += 1;
    if (this.run === undefined) return right(undefined);
    const letGo = holdOpen();
    try {
      return await this.endRun(this.run);
    } finally {
      letGo();
    }
  }

  /** Withdraws without waiting, for a shutdown that must reach every add-on first. */
  withdraw(): void {
    this.wish += 1;
    this.run?.stop();
  }

  private async endRun(run: Run): Promise<Either<Failure, void>> {
    run.stop();
    const { deadlines, settings, fence } = this.deps;
    const ended = await deadlines.within(2 * settings.limits.shutdownTimeoutMs, run.ended, LATE);
    if (ended === LATE)
      return left({
        reason: `The process of ${this.addonId} has not been confirmed to have ended. Nothing is started in its place until it has. Repeat the call to wait for it.`,
      });
    if (this.run === run) this.run = undefined;
    this.changed();
    const fenced = fence.reason();
    return fenced === undefined ? right(undefined) : left({ reason: fenced });
  }

  current(generation: number): Either<Failure, BoundClient> {
    const client = this.run?.client;
    if (client === undefined) return left({ reason: this.run?.reason ?? 'it is not running' });
    return client.generation === generation
      ? right(client)
      : left({ reason: `generation ${client.generation} is running, not ${generation}` });
  }

  use(): ReturnType<Runtimes['use']> {
    const held = this.run?.held;
    const use = held?.use();
    return { heldBy: held?.heldBy ?? 'rlimit', ...(use === undefined ? {} : { use }) };
  }

  limitsChanged(): void {
    this.run?.held?.apply();
  }

  observe(): Observation {
    if (this.run === undefined) return { state: 'stopped', restarts: 0 };
    const { state, reason, restarts, restartReason, spec } = this.run;
    return {
      state,
      generation: spec.generation,
      restarts,
      ...(reason === undefined ? {} : { reason }),
      ...(restartReason === undefined ? {} : { restartReason }),
    };
  }
}
