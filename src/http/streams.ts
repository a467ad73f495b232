/** How many streams a person and the server hold open at once (decisions: one person at most 4; 09: 16 in all). */

const PER_PERSON = 4;
const IN_ALL = 16;

export class StreamSlots {
  private readonly held = new Map<string, number>();
  private total = 0;

  /** A function that gives the slot back, or undefined when the person or the server holds too many. */
  take(userId: string): (() => void) | undefined {
    const held = this.held.get(userId) ?? 0;
    if (held >= PER_PERSON || this.total >= IN_ALL) return undefined;
    this.held.set(userId, held + 1);
    this.total += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.total -= 1;
      const left = (this.held.get(userId) ?? 1) - 1;
      if (left === 0) this.held.delete(userId);
      else this.held.set(userId, left);
    };
  }
}
