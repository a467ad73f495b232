/** How many add-ons start at a time; a slow one gives its place to the next, so that it delays nobody for long. */
import type { Clock } from '../commands/ports.js';

export class Places {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly clock: Clock,
    places: number,
    private readonly longestMs: number,
  ) {
    this.free = places;
  }

  /** Resolves with the function that gives the place back; at once, and with nothing to give, when the signal aborts. */
  async take(signal: AbortSignal): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else if (!(await this.wait(signal))) return () => {};
    let held = true;
    const giveBack = () => {
      if (!held) return;
      held = false;
      cancel();
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    };
    const cancel = this.clock.after(this.longestMs, giveBack);
    return giveBack;
  }

  private wait(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const called = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(called), 1);
        resolve(false);
      };
      this.waiting.push(called);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
