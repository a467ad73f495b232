/** Events of the stream `owner`: each start of an owner on this root is an epoch. */
import { closed, t } from '../../contract/fp.js';
import { defineEvents, type EventOf } from '../event.js';

const EpochStarted = closed('OwnerEpochStarted', {
  /** From the identity file of the root; the same for the life of the root. */
  ownerId: t.string,
  /** From the identity file of the storage; differs after a restore on another disk. */
  storageId: t.string,
  mode: t.keyof({ 'named-user': null, 'local-owner': null }),
  /** Version of the program that started. */
  build: t.string,
  /** From 1, one more with every start. */
  epoch: t.Int,
});

export const ownerEvents = defineEvents({ OwnerEpochStarted: { version: 1, payload: EpochStarted } });

export type OwnerEvent = EventOf<typeof ownerEvents>;
