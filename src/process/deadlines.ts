/**
 * Deadlines that do not count the time in which the event loop of the owner itself stood still: a slow disk or a long
 * parse must not make the owner end add-ons that answered in time.
 */
import type { Clock } from '../commands/ports.js';

const TICK_MS = 50;
/** A timer that is this late is no stall but its ordinary inexactness. */
const ORDINARY_MS = 10;

/** Measures how late the loop is, while someone watches. */
export class LoopLag {
  private total = 0;
  private watchers = 0;
  private due: number | undefined;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds from a clock that never jumps. */
    private readonly monotonic: () => number,
  ) {}

  /** Stalled milliseconds since an arbitrary moment, the present stall included. */
  stalled(): number {
    return this.total + this.late();
  }

  watch(): () => void {
    this.watchers += 1;
    if (this.due === undefined) this.tick();
    let released = false;
    return () => {
      if (!released) this.watchers -= 1;
      released = true;
    };
  }

  private late(): number {
    const late = this.due === undefined ? 0 : this.monotonic() - this.due;
    return late > ORDINARY_MS ? late : 0;
  }

  private tick(): void {
    this.total += this.late();
    this.due = undefined;
    if (this.watchers === 0) return;
    this.due = this.monotonic() + TICK_MS;
    this.clock.after(TICK_MS, () => this.tick());
  }
}

export class Deadlines {
  private readonly lag: LoopLag;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds from a clock that never jumps. */
    private readonly monotonic: () => number,
  ) {
    this.lag = new LoopLag(clock, monotonic);
  }

  /** Calls `passed` once after `ms` of running event loop; the returned function cancels it. */
  start(ms: number, passed: () => void): () => void {
    const release = this.lag.watch();
    const began = this.monotonic();
    const stalledBefore = this.lag.stalled();
    const check = () => {
      const ran = this.monotonic() - began - (this.lag.stalled() - stalledBefore);
      // A timer may fire a little early; less than a millisecond is no time left.
      if (ms - ran < 1) {
        release();
        passed();
      } else cancel = this.clock.after(ms - ran, check);
    };
    let cancel = this.clock.after(ms, check);
    return () => {
      release();
      cancel();
    };
  }

  /** The work's result, or `late` when the deadline passes first; the work itself goes on. */
  async within<A, L>(ms: number, work: Promise<A>, late: L): Promise<A | L> {
    let cancel = () => {};
    const passed = new Promise<L>((resolve) => {
      cancel = this.start(ms, () => resolve(late));
    });
    try {
      return await Promise.race([work, passed]);
    } finally {
      cancel();
    }
  }
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Timers never keep the process alive, so a wait that must be waited out holds this. */
export function holdOpen(): () => void {
  const hold = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(hold);
}
