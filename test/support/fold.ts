/** Given events, when a command, then events or a refusal: the specification form of an aggregate. */
import type { Decider } from '../../src/aggregates/decider.js';
import { isLeft } from '../../src/contract/fp.js';
import type { Recorded, RecordedEvent } from '../../src/events/event.js';
import { assert } from './harness.js';

type Meta = Partial<Pick<RecordedEvent, 'at' | 'actor' | 'operationId'>>;

/** Events as the journal would hand them to `evolve`. */
export function recorded<E extends object>(events: readonly E[], meta: Meta = {}): readonly Recorded<E>[] {
  return events.map((event, index) => ({
    position: index + 1,
    id: `event-${index + 1}`,
    stream: 'stream',
    revision: index + 1,
    at: '2026-01-01T00:00:00.000Z',
    ...meta,
    ...event,
  }));
}

export const fold = <S, C, E extends object>(decider: Decider<S, C, E>, events: readonly E[], meta: Meta = {}): S =>
  recorded(events, meta).reduce((state, event) => decider.evolve(state, event), decider.initial);

export function given<S, C, E extends object>(decider: Decider<S, C, E>, events: readonly E[]) {
  return {
    when(command: C) {
      const decided = decider.decide(fold(decider, events), command);
      return {
        thenEvents(expected: readonly E[]): void {
          assert.equal(isLeft(decided) ? decided.left : decided.right, expected);
        },
        thenRefused(code: string): void {
          assert.is(isLeft(decided) ? decided.left.refusal : 'accepted', code);
        },
      };
    },
  };
}
