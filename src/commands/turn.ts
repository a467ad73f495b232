/** A queue in which tasks run one at a time; what only reads never joins it (06:269-270). */
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';

export class Turn {
  private tail: Promise<unknown> = Promise.resolve();
  private length = 0;

  /** @param limit tasks that may run or wait at once; one more is refused with `busy`. */
  constructor(private readonly limit: number) {}

  /** Runs the task when everything before it ended, however that ended. */
  async run<A>(task: () => Promise<A>): Promise<Either<Refusal, A>> {
    if (this.length >= this.limit)
      return left(
        refuse('busy', 'Too many operations are waiting. Nothing changed. Try again soon.', { retryAfter: 5 }),
      );
    this.length += 1;
    const mine = this.tail.then(task);
    this.tail = mine.catch(() => undefined);
    try {
      return right(await mine);
    } finally {
      this.length -= 1;
    }
  }
}
