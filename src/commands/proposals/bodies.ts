/** What of a proposal stands beside the log, and the digest that binds it to the record (10:71-78). */
import type { ProposalRecord } from '../../aggregates/proposal.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { Result } from '../../contract/wire.js';
import type { Journal, SealedBody } from '../../events/journal.js';
import { SALT_BYTES, sealBody } from '../../events/sealed-body.js';
import { sha256Hex } from '../../events/sha256.js';
import type { Ids } from '../ports.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Canonical JSON under a fresh random salt. */
export const sealJson = (ids: Ids, value: Json): SealedBody =>
  sealBody(encoder.encode(canonicalJson(value)), ids.bytes(SALT_BYTES));

export function readText(journal: Journal, ref: string): string | undefined {
  const bytes = journal.body(ref);
  return bytes === undefined ? undefined : decoder.decode(bytes);
}

function readJson(journal: Journal, ref: string): Json | undefined {
  const text = readText(journal, ref);
  return text === undefined ? undefined : (JSON.parse(text) as Json);
}

export interface ProposalBodies {
  readonly arguments: JsonObject;
  readonly sample: readonly Json[];
}

/** The stored arguments and sample, or undefined when one of them is gone. */
export function readBodies(journal: Journal, record: ProposalRecord): ProposalBodies | undefined {
  const args = readJson(journal, record.argumentsRef);
  const sample = readJson(journal, record.sampleRef);
  if (args === undefined || sample === undefined) return undefined;
  return { arguments: args as JsonObject, sample: sample as readonly Json[] };
}

/** What the add-on said at the end: its words for a rejection, its result for a receipt. */
export interface OutcomeBody {
  readonly message?: string;
  readonly result?: Result;
}

export const sealOutcome = (ids: Ids, outcome: OutcomeBody): SealedBody =>
  sealJson(ids, outcome as unknown as JsonObject);

export const readOutcome = (journal: Journal, ref: string | undefined): OutcomeBody =>
  ref === undefined ? {} : ((readJson(journal, ref) ?? {}) as OutcomeBody);

/**
 * SHA-256 over everything that was stored for the decision: the record, and the arguments and the sample themselves
 * in place of their references. Changing any part of it changes the digest.
 */
export function digestOf(record: Omit<ProposalRecord, 'digest'>, bodies: ProposalBodies): string {
  const { argumentsRef, sampleRef, ...facts } = record;
  const covered = { ...facts, digest: null, arguments: bodies.arguments, sample: bodies.sample };
  return `sha256:${sha256Hex(canonicalJson(covered as unknown as JsonObject))}`;
}

/** The digest of what is stored now; empty when a body is gone, which equals no digest. */
export function recomputedDigest(journal: Journal, record: ProposalRecord): string {
  const bodies = readBodies(journal, record);
  return bodies === undefined ? '' : digestOf(record, bodies);
}
