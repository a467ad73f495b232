/** Events of the streams `resource-<id>` (09:283-310). A resource belongs to one add-on and one person for ever. */
import { closed, t } from '../../contract/fp.js';
import { defineEvents } from '../event.js';
import { digest, namespaceId, positive, text } from './codecs.js';

const owner = closed('owner', {
  userId: text(256, 1),
  mode: t.keyof({ 'named-user': null, 'local-owner': null }),
});

export const resourceEvents = defineEvents({
  ResourceReserved: {
    version: 1,
    payload: closed(
      'ResourceReserved',
      {
        addonId: namespaceId,
        owner,
        generation: positive,
        /** A proposal that waits for a person, or a person's own direct call (11, "Creating, renaming and deleting"). */
        origin: closed('origin', { kind: t.keyof({ proposal: null, direct: null }), operationId: namespaceId }),
      },
      /** Body with the arguments of a direct call, by which its repeat is recognised. */
      { argumentsRef: digest, ownerName: text(256) },
    ),
  },
  /** `by`: the add-on's receipt, or its answer that the backing exists. */
  ResourceActivated: {
    version: 1,
    payload: closed('ResourceActivated', { by: t.keyof({ receipt: null, exists: null }) }),
  },
  ReservationDropped: { version: 1, payload: closed('ReservationDropped', { why: text(512) }) },
});
