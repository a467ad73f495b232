/** The streams `source-<kind>-<id>`. A deleted source leaves memory; the tombstone of a built-in one stays. */
import { type Source, type SourceCommand, type SourceEvent, source } from '../../aggregates/source.js';
import type { StreamKind } from '../owner-state.js';

export const sourceKind: StreamKind<Source, SourceCommand, SourceEvent> = {
  name: 'source',
  decider: source,
  gone: (state) => state.status === 'deleted',
};
