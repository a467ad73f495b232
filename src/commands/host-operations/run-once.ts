/** First results of idempotent operations, for as long as the incarnation that asked lives (07:216-217). */
import { left } from '../../contract/fp.js';
import type { HostOpResult } from './operation.js';

/** Of one incarnation; a new id beyond them is refused rather than an old one forgotten, which would run twice. */
const MOST_RESULTS = 4_096;

interface Kept {
  readonly binding: string;
  readonly result: Promise<HostOpResult>;
}

export class RunOnce {
  private readonly kept = new Map<string, Map<string, Kept>>();

  /** Runs the first call of a key; a repeat gets its result, also while it runs, and another binding is a `conflict`. */
  run(
    incarnation: string,
    { key, binding }: { readonly key: string; readonly binding: string },
    first: () => Promise<HostOpResult>,
  ): Promise<HostOpResult> {
    const mine = this.kept.get(incarnation) ?? new Map<string, Kept>();
    this.kept.set(incarnation, mine);
    const before = mine.get(key);
    if (before !== undefined)
      return before.binding === binding
        ? before.result
        : refusal('conflict', 'This operation id was used for other arguments.');
    if (mine.size >= MOST_RESULTS)
      return refusal('unavailable', 'This process has asked for more operations than the host remembers.');
    const result = first();
    mine.set(key, { binding, result });
    return result;
  }

  forget(incarnation: string): void {
    this.kept.delete(incarnation);
  }
}

const refusal = async (code: 'conflict' | 'unavailable', message: string): Promise<HostOpResult> =>
  left({ code, message });
