/** Events of the streams `source-<kind>-<id>`: the libraries an operator configured (06, "Private catalog service"). */
import { closed, t } from '../../contract/fp.js';
import { defineEvents, type EventOf } from '../event.js';
import { namespaceId, text } from './codecs.js';

const policy = closed(
  'policy',
  { requireSignature: t.boolean },
  { issuer: text(2_048), identity: text(2_048), identityRegex: text(2_048), allowLoopbackHTTP: t.boolean },
);

const settings = { name: text(128, 1), url: text(2_048, 1), format: t.keyof({ library: null, gallery: null }), policy };

/** The name of a credential the owner configured, never a secret. */
const reference = { authReference: text(128, 1) };

export const sourceEvents = defineEvents({
  SourceAdded: {
    version: 1,
    payload: closed(
      'SourceAdded',
      {
        kind: t.keyof({ addon: null, backend: null, model: null }),
        id: namespaceId,
        ...settings,
        enabled: t.boolean,
        /** Shipped with the product: its address is not its own, and a removal leaves a tombstone. */
        builtin: t.boolean,
      },
      reference,
    ),
  },
  SourceChanged: { version: 1, payload: closed('SourceChanged', settings, reference) },
  SourceEnabled: { version: 1, payload: closed('SourceEnabled', {}) },
  SourceDisabled: { version: 1, payload: closed('SourceDisabled', {}) },
  /** The tombstone of a built-in source: it does not come back by itself. */
  DefaultSourceRemoved: { version: 1, payload: closed('DefaultSourceRemoved', {}) },
  SourceDeleted: { version: 1, payload: closed('SourceDeleted', {}) },
});

export type SourceEvent = EventOf<typeof sourceEvents>;
