/** Events of the streams `installation-<addonId>` (06, "Durable lifecycle"). */
import { closed, t } from '../../contract/fp.js';
import { defineEvents, type EventOf } from '../event.js';
import { digest, positive, text } from './codecs.js';

/** A manifest of 64 KiB can grow when it is written again (`1e20` becomes 21 digits), but never more than this. */
const MANIFEST_TEXT = 6 * 65_536;

export const installationEvents = defineEvents({
  /** A verified package became an immutable folder, recorded with all that a recovery needs to finish from it. */
  PackagePublished: {
    version: 1,
    payload: closed(
      'PackagePublished',
      {
        generation: positive,
        version: text(128, 1),
        directory: text(255, 1),
        sourceId: text(128, 1),
        /** What the source is trusted as: its address, or its id when it is built in (its port moves). */
        sourceIdentity: text(2_048, 1),
        channel: text(128),
        selection: text(128),
        artifact: text(2_048, 1),
        digest,
        verification: t.union([t.literal('sha256'), t.literal('sha256+sigstore')]),
        os: text(32, 1),
        arch: text(32, 1),
        manifestDigest: digest,
        /** JSON text, since a manifest may hold fractions and keys that an event must not. */
        manifest: text(MANIFEST_TEXT, 2),
      },
      { signer: closed('signer', { issuer: text(2_048), identity: text(2_048) }) },
    ),
  },
  /** The published generation became the current one. */
  GenerationInstalled: { version: 1, payload: closed('GenerationInstalled', { generation: positive }) },
  AddonEnabled: { version: 1, payload: closed('AddonEnabled', {}) },
  AddonDisabled: { version: 1, payload: closed('AddonDisabled', {}) },
  /** Packages, data, identity and grants are kept. */
  AddonUninstalled: { version: 1, payload: closed('AddonUninstalled', {}) },
});

export type InstallationEvent = EventOf<typeof installationEvents>;
