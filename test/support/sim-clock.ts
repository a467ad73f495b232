/** A clock that stands still until it is advanced; timers fire in order of their time. */
import type { Clock } from '../../src/commands/ports.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

/** Lets everything run that waits for promises or immediates, commits in memory included. */
export async function settle(rounds = 12): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resume) => setImmediate(resume));
}

export class SimClock implements Clock {
  private timers: Timer[] = [];
  private order = 0;

  constructor(private ms = Date.UTC(2026, 0, 1)) {}

  now(): Date {
    return new Date(this.ms);
  }

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.ms + Math.max(0, ms), order: this.order++, task };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  pending(): number {
    return this.timers.length;
  }

  /** Forgets every timer, as the death of a process does. */
  stop(): void {
    this.timers = [];
  }

  /** Moves on by `ms`, firing what falls due on the way, each with time to run to its end. */
  async advance(ms: number): Promise<void> {
    const end = this.ms + ms;
    for (;;) {
      await settle();
      const next = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((other) => other !== next);
      this.ms = Math.max(this.ms, next.at);
      next.task();
    }
    this.ms = end;
    await settle();
  }
}
