/** Views the owner gives to clients, as closed codecs for whoever reads them: other frontends, the carrier, tests (wire, "Routes"). */

import { receipt } from './answers.js';
import type { OperationStatus, ProposalView } from './api.js';
import { closed, t } from './fp.js';
import {
  basename,
  count,
  digest,
  generation,
  id,
  idOrEmpty,
  mediaType,
  principal,
  schemaRevision,
  time,
} from './identifiers.js';
import type { Json } from './json.js';
import { opaqueObject } from './requests.js';

const json = t.unknown as t.Type<unknown> as t.Type<Json>;
const text = t.string;

/** The sample of a preview's effects is cut to this many entries before it is stored (wire, "Add-on process"). */
export const MAX_SAMPLE = 20;

const effects = closed('effects', {
  count,
  sample: t.refinement(t.readonlyArray(json), (list) => list.length <= MAX_SAMPLE, `at most ${MAX_SAMPLE} entries`),
});

export const proposalView: t.Type<ProposalView> = closed(
  'proposal view',
  {
    id,
    state: t.keyof({
      pending: null,
      cancelled: null,
      expired: null,
      executing: null,
      applied: null,
      rejected: null,
      'outcome-unknown': null,
      'abandoned-unknown': null,
    }),
    addonId: id,
    resourceId: idOrEmpty,
    action: t.keyof({ write: null, schema: null, create: null }),
    tool: text,
    generation,
    revision: closed('revision', { schema: schemaRevision, data: count }),
    arguments: opaqueObject,
    effects,
    digest,
    createdAt: time,
    expiresAt: time,
    proposer: closed('proposer', { userId: principal }, { displayName: text }),
    via: closed(
      'via',
      { kind: t.keyof({ session: null, key: null, mcp: null, chat: null, local: null }) },
      { name: text },
    ),
  },
  {
    blocked: t.literal(true),
    blockedBy: id,
    receipt,
    rejection: closed('rejection', { code: text, message: text }),
    resolution: closed('resolution', { actorId: principal, at: time, reason: text }),
  },
);

export const operationStatus: t.Type<OperationStatus> = closed(
  'operation status',
  {
    operationId: id,
    addonId: idOrEmpty,
    action: id,
    state: t.keyof({ intent: null, prepared: null, applied: null, completed: null, failed: null }),
    generation: count,
    runtimeState: t.literal('not-observed'),
  },
  { error: closed('error', { type: text, message: text }) },
);

/** A private file of the person who asked for it: never a path, never the add-on's handle (11:294-300; wire, "Routes"). */
export const artifactView = closed(
  'artifact view',
  {
    id,
    state: t.keyof({ transferring: null, complete: null, failed: null, cancelled: null }),
    name: basename,
    mediaType,
    size: count,
    sources: t.readonlyArray(id),
    addonId: id,
    generation,
    createdAt: time,
    expiresAt: time,
  },
  { reason: text },
);
export type ArtifactView = t.TypeOf<typeof artifactView>;
