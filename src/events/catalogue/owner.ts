/** Events of the stream `owner`: each start of an owner on this root is an epoch. */
import { closed, t } from '../../contract/fp.js';
import { defineEvents, type EventOf } from '../event.js';
import { positive, text } from './codecs.js';

const EpochStarted = closed('OwnerEpochStarted', {
  /** From the identity file of the root; the same for the life of the root. */
  ownerId: text(128, 1),
  /** From the identity file of the storage; differs after a restore on another disk. */
  storageId: text(128, 1),
  mode: t.keyof({ 'named-user': null, 'local-owner': null }),
  /** Version of the program that started. */
  build: text(128, 1),
  /** From 1, one more with every start. */
  epoch: positive,
});

export const ownerEvents = defineEvents({ OwnerEpochStarted: { version: 1, payload: EpochStarted } });

export type OwnerEvent = EventOf<typeof ownerEvents>;
