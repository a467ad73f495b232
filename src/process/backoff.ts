/** The budget of launches: a pause that doubles, an end after a few, a fresh start after sustained health (07:51-53). */
import type { Limits } from '../contract/limits.js';

export class AttemptBudget {
  private used = 0;

  constructor(private readonly limits: Pick<Limits, 'attempts' | 'backoffInitialMs' | 'backoffMaxMs'>) {}

  /** Counts one launch. */
  begin(): void {
    this.used += 1;
  }

  /** Milliseconds to wait before the next launch; undefined when the budget is spent. */
  next(): number | undefined {
    if (this.used >= this.limits.attempts) return undefined;
    const doubled = this.limits.backoffInitialMs * 2 ** Math.max(0, this.used - 1);
    return Math.min(doubled, this.limits.backoffMaxMs);
  }

  /** After sustained health: the launch that runs counts no longer. */
  restore(): void {
    this.used = 0;
  }
}
