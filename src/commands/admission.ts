/** Admission of work: writes to one resource one at a time, and few calls to one add-on at once (09:254-255, 11:12). */
import type { Clock } from './ports.js';

interface Waiter {
  readonly admit: () => void;
}

/** A turn that was given; calling it again does nothing. */
export type Release = () => void;

/** At most `width` holders of a key at a time, in order of arrival, with a bounded queue and a bounded wait. */
export class Turns {
  private readonly held = new Map<string, number>();
  private readonly queues = new Map<string, Waiter[]>();

  constructor(
    private readonly clock: Clock,
    private readonly bounds: { readonly width: number; readonly waiting: number; readonly waitMs: number },
  ) {}

  /** Resolves with the turn, or undefined when too many wait already or the wait grew too long. */
  async take(key: string): Promise<Release | undefined> {
    const holders = this.held.get(key) ?? 0;
    if (holders < this.bounds.width) {
      this.held.set(key, holders + 1);
      return this.releaseOf(key);
    }
    const queue = this.queues.get(key) ?? [];
    if (queue.length >= this.bounds.waiting) return undefined;
    this.queues.set(key, queue);
    return new Promise((resolve) => {
      const leave = this.clock.after(this.bounds.waitMs, () => {
        this.remove(key, waiter);
        resolve(undefined);
      });
      const waiter: Waiter = {
        admit: () => {
          leave();
          resolve(this.releaseOf(key));
        },
      };
      queue.push(waiter);
    });
  }

  private remove(key: string, waiter: Waiter): void {
    const rest = (this.queues.get(key) ?? []).filter((other) => other !== waiter);
    if (rest.length === 0) this.queues.delete(key);
    else this.queues.set(key, rest);
  }

  private releaseOf(key: string): Release {
    let done = false;
    return () => {
      if (done) return;
      done = true;
      const next = this.queues.get(key)?.[0];
      if (next !== undefined) {
        this.remove(key, next);
        next.admit();
        return;
      }
      const holders = (this.held.get(key) ?? 1) - 1;
      if (holders === 0) this.held.delete(key);
      else this.held.set(key, holders);
    };
  }
}
