/** A clock that stands still until it is told to move; timers run in order of their time. */
import type { Clock } from '../../src/commands/ports.js';

export class ManualClock implements Clock {
  private time = 0;
  private readonly timers: { readonly at: number; readonly task: () => void }[] = [];

  now(): Date {
    return new Date(this.time);
  }

  /** Milliseconds since the clock began, for what wants a clock that never jumps. */
  readonly monotonic = (): number => this.time;

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.time + ms, task };
    this.timers.push(timer);
    return () => {
      const at = this.timers.indexOf(timer);
      if (at >= 0) this.timers.splice(at, 1);
    };
  }

  /** Lets `ms` pass; what waits for promises gets its turns between the timers. */
  async pass(ms: number): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      await turns();
      const next = this.due(until);
      if (next === undefined) break;
      this.time = Math.max(this.time, next.at);
      next.task();
    }
    this.time = until;
    await turns();
  }

  /** Time passes while nothing runs, as when the event loop stands still; then everything that is due runs. */
  async stall(ms: number): Promise<void> {
    this.time += ms;
    for (let next = this.due(this.time); next !== undefined; next = this.due(this.time)) next.task();
    await turns();
  }

  private due(until: number) {
    const next = this.timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
    if (next !== undefined) this.timers.splice(this.timers.indexOf(next), 1);
    return next;
  }
}

async function turns(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
