/** Events of the streams `operation-<id>` (06, "Durable lifecycle"; wire, "Routes"). */
import { closed, t } from '../../contract/fp.js';
import { defineEvents, type EventOf } from '../event.js';
import { digest, natural, text } from './codecs.js';

export const ACTIONS = [
  'install',
  'upgrade',
  'enable',
  'disable',
  'uninstall',
  'catalog-source-save',
  'catalog-source-refresh',
] as const;

const action = t.keyof(
  Object.fromEntries(ACTIONS.map((name) => [name, null])) as Record<(typeof ACTIONS)[number], null>,
);

export const operationEvents = defineEvents({
  /** The intent. The actor stands in the event itself; `digest` covers the complete command. */
  OperationRequested: {
    version: 1,
    payload: closed('OperationRequested', {
      action,
      /** Empty for an action on the library as a whole. */
      addonId: text(64),
      digest,
      /** The generation that was installed then; 0 when none was. */
      generation: natural,
    }),
  },
  /** `generation` is the one the operation will leave installed; recovery finishes from it. */
  OperationPrepared: { version: 1, payload: closed('OperationPrepared', { generation: natural }) },
  OperationApplied: { version: 1, payload: closed('OperationApplied', {}) },
  OperationCompleted: {
    version: 1,
    payload: closed('OperationCompleted', {}, { result: text(16_384, 2) }),
  },
  /** Only the code is kept: the refusal's own words go to the first caller and the log (05:163-181). */
  OperationFailed: { version: 1, payload: closed('OperationFailed', { code: text(64, 1) }) },
});

export type OperationEvent = EventOf<typeof operationEvents>;
