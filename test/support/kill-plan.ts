/** Which kills are still to be made: in each part of the main job, at every call of each kind. */
import type { Trace } from './killing-server.js';
import { STEPS } from './main-job.js';

/** The parts of the main job whose calls are counted from one: the start, each step, and the end after SIGTERM. */
export const PARTS = ['start', ...STEPS, 'end'] as const;
export type Part = (typeof PARTS)[number];

export interface Task {
  readonly trace: Trace;
  readonly n: number;
}

/** The calls of one kind in one part. */
class Calls {
  readonly killed = new Set<number>();
  private readonly missed = new Set<number>();
  private readonly running = new Set<number>();

  constructor(private readonly trace: Trace) {}

  /** The first call at which no kill was seen, unless the part has been seen to end before that call. */
  due(): number | undefined {
    let n = 1;
    while (this.killed.has(n) || this.running.has(n)) n += 1;
    return this.missed.has(n) && n > Math.max(0, ...this.killed) ? undefined : n;
  }

  take(): Task | undefined {
    const n = this.due();
    if (n === undefined) return undefined;
    this.running.add(n);
    return { trace: this.trace, n };
  }

  report(n: number, killed: boolean): void {
    this.running.delete(n);
    (killed ? this.killed : this.missed).add(n);
  }
}

/** Hands out every n of every kind and part, from 1 until the part ended without a kill. */
export class KillPlan {
  private readonly parts: ReadonlyMap<Part, Map<Trace, Calls>>;

  constructor(traces: readonly Trace[]) {
    this.parts = new Map(PARTS.map((part) => [part, new Map(traces.map((trace) => [trace, new Calls(trace)]))]));
  }

  take(part: Part): Task | undefined {
    for (const calls of this.of(part).values()) {
      const task = calls.take();
      if (task !== undefined) return task;
    }
    return undefined;
  }

  /** Whether any kill is left that nobody is at. */
  due(): boolean {
    return PARTS.some((part) => [...this.of(part).values()].some((calls) => calls.due() !== undefined));
  }

  report(part: Part, { trace, n }: Task, killed: boolean): void {
    this.of(part).get(trace)?.report(n, killed);
  }

  /** How often the server was killed in each part. */
  kills(): Readonly<Record<Part, number>> {
    const count = (part: Part) => [...this.of(part).values()].reduce((sum, { killed }) => sum + killed.size, 0);
    return Object.fromEntries(PARTS.map((part) => [part, count(part)])) as Record<Part, number>;
  }

  private of(part: Part): Map<Trace, Calls> {
    return this.parts.get(part) ?? new Map();
  }
}
