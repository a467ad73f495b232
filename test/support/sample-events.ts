/** A small catalogue for tests of the journal itself: one type with an older version, one with free text. */
import { closed, t } from '../../src/contract/fp.js';
import type { Catalogue } from '../../src/events/codec.js';
import { defineEvents, type NewEvent } from '../../src/events/event.js';
import type { AppendRequest } from '../../src/events/journal.js';

const sample = defineEvents({
  /** Version 1 had no `unit`. */
  Counted: {
    version: 2,
    payload: closed('Counted', { amount: t.Int, unit: t.string }),
    upcast: { 1: (old) => ({ ...old, unit: 'piece' }) },
  },
  Noted: { version: 1, payload: closed('Noted', { text: t.string }, { tags: t.array(t.string) }) },
});

export const SAMPLE_CATALOGUE = sample as unknown as Catalogue;
export const AT = '2026-11-30T12:00:00.000Z';

export const counted = (amount: number): NewEvent => ({ type: 'Counted', payload: { amount, unit: 'kg' } });
export const noted = (text: string): NewEvent => ({ type: 'Noted', payload: { text } });

/** An append to one stream, as most tests need it. */
export function appendTo(
  stream: string,
  expectedRevision: number,
  events: readonly NewEvent[],
  extra: Partial<AppendRequest> & { readonly operationId?: string } = {},
): AppendRequest {
  const { operationId, ...rest } = extra;
  return {
    writes: [{ stream, expectedRevision, events }],
    meta: { at: AT, ...(operationId === undefined ? {} : { operationId }) },
    ...rest,
  };
}
