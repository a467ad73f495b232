/** How many streams a person and the server hold open at once (decisions: one person at most 4; 09: 16 in all). */

const PER_PERSON = 4;
const IN_ALL = 16;

export class StreamSlots {
  private readonly held = new Map<string, number>();
  private total = 0;
  private readonly open = new Set<() => void>();
  private ended = false;

  /**
   * A function that gives the slot back, or undefined when the person or the server holds too many, or the server stops.
   * @param end is called when the server stops; the stream must then end by itself.
   */
  take(userId: string, end: () => void): (() => void) | undefined {
    const held = this.held.get(userId) ?? 0;
    if (this.ended || held >= PER_PERSON || this.total >= IN_ALL) return undefined;
    this.held.set(userId, held + 1);
    this.total += 1;
    // One object for each stream, since two may share a function.
    const open = () => end();
    this.open.add(open);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.open.delete(open);
      this.total -= 1;
      const left = (this.held.get(userId) ?? 1) - 1;
      if (left === 0) this.held.delete(userId);
      else this.held.set(userId, left);
    };
  }
  /** Ends every stream and takes no new one: a page that is open must not hold up the end of the server. */
  endAll(): void {
    this.ended = true;
    for (const end of this.open) end();
  }
}
