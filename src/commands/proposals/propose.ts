/** Storing a proposal: everything is checked, the add-on previews, nothing is applied (10:63-83, 10:113-124). */
import type { KnownProposal } from '../../aggregates/proposal.js';
import { isKnown } from '../../aggregates/proposal.js';
import type { ProposalRequest, ProposalView } from '../../contract/api.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import { declaredTool } from '../../contract/declared-tool.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { Preview } from '../../contract/wire.js';
import { proposalKind } from '../../projections/kinds/proposal.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { bounded, callRefusal, cut, isRevision, issue } from '../addon-call.js';
import { mayCreate, requireRole, roleFor } from '../authority.js';
import type { Caller, WithRawArguments } from '../gateway.js';
import { reserve } from '../resources/reserve.js';
import { currentGeneration, type NamedTool, namedTool } from '../tools.js';
import { blockedRefusal, blockerOf } from './blocking.js';
import { digestOf, readText, sealJson } from './bodies.js';
import { type Desk, millisOf, nowOf, proposalUnavailable, ready } from './desk.js';
import { creationEffects, effectsOf } from './effects.js';
import { isNamespaceId, isProposer } from './find.js';
import { makeRoom } from './room.js';
import { expireDue, forgetting } from './sweep.js';
import { viewOf } from './view.js';

type Proposed = { readonly created: boolean; readonly proposal: ProposalView };
type Request = WithRawArguments<ProposalRequest>;

const invalid = (message: string): Either<Refusal, never> => left(refuse('invalid_request', message));

/** The same words whoever used the id, and for whatever. */
const USED_ID = refuse(
  'denied',
  'This operationId cannot be used for this request. Nothing was stored. Use a new operationId.',
);

function wellFormed({ value }: Request): Either<Refusal, void> {
  if (!isNamespaceId(value.operationId)) return invalid('The operationId is malformed. Nothing was stored.');
  if (!isNamespaceId(value.addonId)) return invalid('The addonId is malformed. Nothing was stored.');
  if (!Number.isSafeInteger(value.generation) || value.generation < 1)
    return invalid('The generation must be the number of an installed generation, from 1. Nothing was stored.');
  if (!['write', 'schema', 'create'].includes(value.action))
    return invalid('The action of a proposal is write, schema or create. Nothing was stored.');
  if (value.action === 'create')
    return value.resourceId === undefined || value.resourceId === ''
      ? right(undefined)
      : invalid('A creation names no resourceId; the owner issues it. Nothing was stored.');
  return isNamespaceId(value.resourceId)
    ? right(undefined)
    : invalid('A change names the resourceId it works on. Nothing was stored.');
}

/** The stored proposal when this is a repeat of the same request; a denial for every other use of a used id (10:81-83). */
async function repeated(
  desk: Desk,
  caller: Caller,
  { value, rawArguments }: Request,
): Promise<Either<Refusal, Proposed | undefined>> {
  const { store } = desk.context;
  const { operationId } = value;
  const claim = store.journal.operation(operationId);
  const inMemory = store.ahead.get(proposalKind, operationId);
  if (!isKnown(inMemory)) return claim === undefined ? right(undefined) : left(USED_ID);
  const settled = await store.settled(operationId);
  if (isLeft(settled)) return settled;
  const proposal = store.visible.get(proposalKind, operationId);
  if (!isKnown(proposal) || !isProposer(proposal, caller.actor)) return left(USED_ID);
  const { record } = proposal;
  // The raw text alone is trusted: it must name the stored tool and canonicalise to the stored arguments.
  const given = declaredTool(rawArguments, [record.tool]);
  const same =
    record.addonId === value.addonId &&
    record.action === value.action &&
    record.generation === value.generation &&
    (record.action === 'create' || record.resourceId === value.resourceId) &&
    !isLeft(given) &&
    readText(store.journal, record.argumentsRef) === canonicalJson(given.right.arguments);
  if (!same) return left(USED_ID);
  return right({ created: false, proposal: viewOf(desk, proposal, caller.actor) });
}

/** Everything that is checked before anything is sent, and once more before anything is stored. */
function admitted(desk: Desk, caller: Caller, request: Request): Either<Refusal, NamedTool> {
  const { value, rawArguments } = request;
  const state = desk.context.store.ahead;
  const installed = currentGeneration(desk.findInstalled(state, value.addonId), value.generation);
  if (isLeft(installed)) return installed;
  const resource = value.action === 'create' ? {} : { resourceId: value.resourceId ?? '' };
  const tool = namedTool(installed.right, rawArguments, { kind: value.action, ...resource });
  if (isLeft(tool)) return tool;
  if (installed.right.changing) return left(proposalUnavailable(value.operationId, 'The add-on is being changed.'));
  if (value.action === 'create') {
    if (tool.right.tool === undefined) return invalid('A creation names the tool that creates. Nothing was stored.');
    const authority = mayCreate(installed.right);
    return isLeft(authority) ? authority : tool;
  }
  const target = { addonId: value.addonId, resourceId: value.resourceId ?? '' };
  const role = requireRole(state, caller.actor, target, roleFor(value.action));
  if (isLeft(role)) return role;
  const blockedBy = blockerOf(desk, state, target.resourceId);
  return blockedBy === undefined ? tool : left(blockedRefusal(state, caller.actor, target.resourceId, blockedBy));
}

interface Draft {
  readonly request: ProposalRequest;
  readonly tool: NamedTool;
  readonly resourceId: string;
  readonly addonOperationId: string;
}

/** Whether what the add-on answered has a canonical form; without one it could be neither stored nor shown. */
function isPlain(summary: Preview['summary']): boolean {
  try {
    canonicalJson(summary);
    return true;
  } catch {
    return false;
  }
}

async function preview(desk: Desk, caller: Caller, draft: Draft): Promise<Either<Refusal, Preview>> {
  const { clock, limits, runtimes } = desk.context;
  const { addonId, generation, action, operationId } = draft.request;
  const client = runtimes.current(addonId, generation);
  if (isLeft(client)) return left(proposalUnavailable(operationId, 'The add-on is not running.'));
  // An add-on may echo the authority's end as the end of its preview, and a person needs the whole time to decide.
  const authorityMs = Math.max(limits.previewTimeoutMs, limits.proposalExpiryMs);
  const envelope = issue(clock, caller.actor, 'preview', authorityMs, {
    addonId,
    resourceId: draft.resourceId,
    operationId: draft.addonOperationId,
    generation,
    action,
    arguments: draft.tool.arguments,
  });
  const answer = await bounded(clock, limits.previewTimeoutMs, (signal) => client.right.preview(envelope, signal));
  if (isLeft(answer))
    return left(
      callRefusal(
        answer.left,
        { unavailable: 'proposal_unavailable', timeout: 'proposal_unavailable', conflict: 'invalid_request' },
        { operationId },
      ),
    );
  const { right: given } = answer;
  const fits = given.operationId === draft.addonOperationId && isRevision(given.revision) && isPlain(given.summary);
  if (!fits || !(Date.parse(given.expiresAt) > millisOf(desk)))
    return left(proposalUnavailable(operationId, 'The add-on answered with a preview that does not fit the request.'));
  return answer;
}

/** The record and its bodies, sealed. */
function compose(desk: Desk, caller: Caller, draft: Draft, given: Preview) {
  const { ids, limits } = desk.context;
  const { request, tool } = draft;
  const args: JsonObject = tool.arguments;
  const effects = request.action === 'create' ? creationEffects(args) : effectsOf(given.summary);
  const now = millisOf(desk);
  const expires = Math.min(Date.parse(given.expiresAt), now + limits.proposalExpiryMs);
  const sealed = { arguments: sealJson(ids, args), sample: sealJson(ids, effects.sample) };
  const { userId, credentialId, mode } = caller.actor;
  const record = {
    operationId: request.operationId,
    addonId: request.addonId,
    resourceId: draft.resourceId,
    action: request.action,
    tool: tool.tool?.name ?? '',
    generation: request.generation,
    addonOperationId: draft.addonOperationId,
    proposer: { userId, credentialId, mode },
    via: caller.via.name === undefined ? caller.via : { ...caller.via, name: cut(caller.via.name, 256) },
    revision: { schema: given.revision.schema, data: given.revision.data },
    count: effects.count,
    sampleRef: sealed.sample.ref,
    argumentsRef: sealed.arguments.ref,
    argumentsBytes: sealed.arguments.bytes.length,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(expires).toISOString(),
  };
  const digest = digestOf(record, { arguments: args, sample: effects.sample });
  return { record: { ...record, digest }, bodies: [sealed.arguments, sealed.sample] };
}

/** Checks once more and appends, in one synchronous step. */
async function storeIt(
  desk: Desk,
  caller: Caller,
  request: Request,
  draft: Draft,
  given: Preview,
): Promise<Either<Refusal, Proposed>> {
  const { store } = desk.context;
  if (store.journal.operation(draft.request.operationId) !== undefined) {
    const again = await repeated(desk, caller, request);
    if (isLeft(again)) return again;
    return again.right === undefined ? left(USED_ID) : right(again.right);
  }
  const still = admitted(desk, caller, request);
  if (isLeft(still)) return still;
  const { record, bodies } = compose(desk, caller, draft, given);
  const room = makeRoom(store.ahead, caller.actor, record.argumentsBytes, nowOf(desk));
  if (isLeft(room)) return room;
  const stored = store.decide(proposalKind, record.operationId, { type: 'store', record });
  if (isLeft(stored)) return stored;
  const forgotten = forgetting(desk, room.right, 'room');
  const committed = await store.commit(
    { changes: [stored.right, ...forgotten.changes], bodies, erase: forgotten.erase },
    { actor: caller.actor, operationId: record.operationId },
  );
  if (isLeft(committed)) return committed;
  const proposal = store.visible.get(proposalKind, record.operationId);
  if (!isKnown(proposal)) return left(USED_ID);
  return right({ created: true, proposal: viewOf(desk, proposal as KnownProposal, caller.actor) });
}

/** Reserves the resource of a creation, and drops it again when the proposal does not come to be. */
async function withReservation(
  desk: Desk,
  caller: Caller,
  request: Request,
  tool: NamedTool,
): Promise<Either<Refusal, Proposed>> {
  const { store, ids } = desk.context;
  const { operationId, addonId, generation } = request.value;
  const resourceId = `r-${ids.hex(16)}`;
  const { userId, mode } = caller.actor;
  const reserved = reserve(store, resourceId, {
    addonId,
    owner: { userId, mode },
    generation,
    origin: { kind: 'proposal', operationId },
  });
  if (isLeft(reserved)) return reserved;
  desk.creating.add(resourceId);
  try {
    const durable = await store.commit({ changes: [reserved.right] }, { actor: caller.actor });
    if (isLeft(durable)) return durable;
    const draft = { request: request.value, tool, resourceId, addonOperationId: `create-${resourceId}` };
    const given = await preview(desk, caller, draft);
    const outcome = isLeft(given) ? given : await storeIt(desk, caller, request, draft, given.right);
    const kept = !isLeft(outcome) && outcome.right.proposal.resourceId === resourceId;
    if (!kept) {
      const dropped = store.decide(resourceKind, resourceId, { type: 'drop', why: 'the proposal was not stored' });
      if (!isLeft(dropped)) await store.commit({ changes: [dropped.right] }, { actor: caller.actor });
    }
    return outcome;
  } finally {
    desk.creating.delete(resourceId);
  }
}

/**
 * Stores a proposal. Refuses `invalid_request`, `denied`, `resource_unreachable`, `outcome_blocked`, `quota_reached`,
 * `busy`, `proposal_unavailable`, `insufficient_storage`, `fenced`; nothing is applied in any case.
 */
export async function propose(desk: Desk, caller: Caller, request: Request): Promise<Either<Refusal, Proposed>> {
  const shape = wellFormed(request);
  if (isLeft(shape)) return shape;
  const open = ready(desk);
  if (isLeft(open)) return open;
  const again = await repeated(desk, caller, request);
  if (isLeft(again)) return again;
  if (again.right !== undefined) return right(again.right);
  await expireDue(desk);
  const tool = admitted(desk, caller, request);
  if (isLeft(tool)) return tool;
  const bytes = Buffer.byteLength(canonicalJson(tool.right.arguments));
  const room = makeRoom(desk.context.store.ahead, caller.actor, bytes, nowOf(desk));
  if (isLeft(room)) return room;
  if (request.value.action === 'create') return withReservation(desk, caller, request, tool.right);
  const { operationId, resourceId = '' } = request.value;
  const draft = { request: request.value, tool: tool.right, resourceId, addonOperationId: operationId };
  const given = await preview(desk, caller, draft);
  return isLeft(given) ? given : storeIt(desk, caller, request, draft, given.right);
}
