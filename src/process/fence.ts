/** Raised when a durable step about a process failed: from then on this owner launches nothing (07:73-74). */
export class Fence {
  private why: string | undefined;

  /** The first reason stays. */
  raise(reason: string): void {
    this.why ??= reason;
  }

  reason(): string | undefined {
    return this.why;
  }
}
