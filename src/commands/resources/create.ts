/** A person creates a resource directly: reservation, preview, apply, receipt, without a card (11:41-52). */
import type { HeldResource } from '../../aggregates/resource.js';
import type { ResourceEntry } from '../../contract/api.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import { declaredTool } from '../../contract/declared-tool.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { JsonObject } from '../../contract/json.js';
import type { ToolDefinition } from '../../contract/manifest-types.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { Preview, Scope } from '../../contract/wire.js';
import { sha256Hex } from '../../events/sha256.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { bounded, callRefusal, cut, isRevision, issue } from '../addon-call.js';
import { mayCreate, sameOwner } from '../authority.js';
import type { Caller, ResourceCreation, WithRawArguments } from '../gateway.js';
import type { RuntimeClient } from '../ports.js';
import { readText, sealJson } from '../proposals/bodies.js';
import { type Desk, ready } from '../proposals/desk.js';
import { isNamespaceId, onSurface } from '../proposals/find.js';
import { handedOver } from '../proposals/handed-over.js';
import { type Outcome, outcomeOfApply } from '../proposals/outcome.js';
import { checkArguments } from '../tool-arguments.js';
import { entryOf, type Inspected, inspect } from './list.js';
import { settleReservation } from './reservations.js';
import { reserve } from './reserve.js';

type Request = WithRawArguments<ResourceCreation>;
type Created = { readonly created: boolean; readonly entry: ResourceEntry & { readonly operationId: string } };

const invalid = (message: string): Either<Refusal, never> =>
  left(refuse('invalid_request', `${message} Nothing was created.`));

/** The same person and operation id always mean the same resource, so a repeat finds it (11:48-50). */
const resourceIdOf = (caller: Caller, operationId: string): string =>
  `r-${sha256Hex(`${caller.actor.mode}\0${caller.actor.userId}\0create\0${operationId}`).slice(0, 32)}`;

const unknown = (operationId: string): Refusal =>
  refuse(
    'outcome_unknown',
    'The add-on may or may not have created the resource. Repeat the same call; nothing is created twice.',
    { operationId },
  );

function wellFormed(caller: Caller, { value }: Request): Either<Refusal, void> {
  if (!isNamespaceId(value.operationId)) return invalid('The operationId is malformed.');
  if (!isNamespaceId(value.addonId)) return invalid('The addonId is malformed.');
  if (!Number.isSafeInteger(value.generation) || value.generation < 1)
    return invalid('The generation is a number from 1.');
  const surface = onSurface(caller, value.operationId);
  if (!isLeft(surface)) return surface;
  const otherSubject = caller.surface !== undefined && !isLeft(onSurface(caller, caller.surface.subject));
  return otherSubject ? invalid('X-LocalAI-Confirm does not name this operation.') : surface;
}

interface Plan {
  readonly tool: ToolDefinition;
  readonly arguments: JsonObject;
}

function plan(desk: Desk, { value, rawArguments }: Request): Either<Refusal, Plan> {
  const installed = desk.findInstalled(desk.context.store.ahead, value.addonId);
  if (installed !== undefined && installed.generation !== value.generation)
    return left(refuse('stale', 'The add-on was changed meanwhile. Nothing was created. Reload and repeat.'));
  const authority = mayCreate(installed);
  if (isLeft(authority)) return authority;
  const { resources, toolDefinitions } = installed?.manifest.capabilities ?? { toolDefinitions: [] };
  const tool = toolDefinitions.find(
    (definition) => definition.name === resources?.create && definition.kind === 'create',
  );
  if (tool === undefined) return invalid('This add-on creates no resources from a page.');
  const given = declaredTool(rawArguments, []);
  if (isLeft(given)) return invalid('The arguments are not one plain JSON object, or name a tool.');
  const checked = checkArguments(tool, given.right.arguments);
  return isLeft(checked) ? checked : right({ tool, arguments: given.right.arguments });
}

/** The stored creation under this id: the finished one for a repeat, a conflict for another request, or a look-up. */
async function earlier(
  desk: Desk,
  caller: Caller,
  id: string,
  request: Request,
): Promise<Either<Refusal, Created | undefined>> {
  const { store } = desk.context;
  const before = store.ahead.get(resourceKind, id);
  if (before.state !== 'reserved' && before.state !== 'active') return right(undefined);
  const { operationId, addonId, generation } = request.value;
  const settled = await store.settled(operationId);
  if (isLeft(settled)) return settled;
  const given = declaredTool(request.rawArguments, []);
  const args = before.argumentsRef === undefined ? undefined : readText(store.journal, before.argumentsRef);
  const same =
    sameOwner(before, caller.actor) &&
    before.addonId === addonId &&
    before.generation === generation &&
    !isLeft(given) &&
    args === canonicalJson(given.right.arguments);
  if (!same)
    return left(
      refuse('operation_conflict', 'This operationId was used for another creation. Nothing was created.', {
        operationId,
      }),
    );
  const outcome = before.state === 'active' ? 'activated' : await settleReservation(desk, id);
  if (outcome === 'kept') return left(unknown(operationId));
  return outcome === 'dropped'
    ? right(undefined)
    : right({ created: false, entry: await entry(desk, caller, id, request) });
}

async function entry(desk: Desk, caller: Caller, id: string, { value }: Request, seen?: Inspected) {
  const held = desk.context.store.visible.get(resourceKind, id) as HeldResource;
  const found = seen ?? (await inspect(desk, caller, id, value.addonId)) ?? {};
  const asked = typeof value.arguments.name === 'string' ? { name: cut(value.arguments.name, 256) } : {};
  return { ...entryOf(id, held, 'owner', { ...asked, ...found }), operationId: value.operationId };
}

function envelopeOf(
  desk: Desk,
  caller: Caller,
  id: string,
  request: Request,
  made: Plan,
  scope: Scope,
  timeoutMs: number,
) {
  const { addonId, generation } = request.value;
  return issue(desk.context.clock, caller.actor, scope, timeoutMs, {
    addonId,
    resourceId: id,
    operationId: `create-${id}`,
    generation,
    action: 'create',
    arguments: { tool: made.tool.name, ...made.arguments },
  });
}

async function previewed(
  desk: Desk,
  caller: Caller,
  id: string,
  request: Request,
  made: Plan,
  client: RuntimeClient,
): Promise<Either<Refusal, Preview>> {
  const { clock, limits } = desk.context;
  const envelope = envelopeOf(desk, caller, id, request, made, 'preview', limits.previewTimeoutMs);
  const answer = await bounded(clock, limits.previewTimeoutMs, (signal) => client.preview(envelope, signal));
  const codes = { unavailable: 'unavailable', timeout: 'unavailable', conflict: 'invalid_request' } as const;
  if (isLeft(answer)) return left(callRefusal(answer.left, codes));
  return isRevision(answer.right.revision) && answer.right.operationId === `create-${id}`
    ? answer
    : left(refuse('unavailable', 'The add-on answered with a preview that does not fit. Nothing was created.'));
}

/** The refusal of an outcome that created nothing. */
function refusalOf(
  outcome: Exclude<Outcome, { kind: 'committed' } | { kind: 'unknown' }>,
  operationId: string,
): Refusal {
  if (outcome.kind === 'rejected') {
    if (outcome.code === 'not_permitted') return refuse('not_permitted', cut(outcome.message));
    if (outcome.code === 'operation_conflict')
      return refuse('operation_conflict', cut(outcome.message), { operationId });
    const stale = !outcome.refused && outcome.receipt === undefined;
    return refuse(stale ? 'stale' : 'invalid_request', cut(outcome.message));
  }
  if (outcome.retryAfter !== undefined)
    return refuse('busy', 'The add-on is busy. Nothing was created.', { retryAfter: outcome.retryAfter });
  return refuse('unavailable', 'The add-on is not running. Nothing was created.');
}

async function drop(desk: Desk, caller: Caller, id: string, why: string): Promise<void> {
  const dropped = desk.context.store.decide(resourceKind, id, { type: 'drop', why });
  if (!isLeft(dropped)) await desk.context.store.commit({ changes: [dropped.right] }, { actor: caller.actor });
}

/** Preview, apply once, and record; the reservation is durable already. */
async function run(
  desk: Desk,
  caller: Caller,
  id: string,
  request: Request,
  made: Plan,
): Promise<Either<Refusal, Created>> {
  const { store, clock, limits, runtimes } = desk.context;
  const { addonId, generation, operationId } = request.value;
  const client = runtimes.current(addonId, generation);
  const given = isLeft(client)
    ? left(refuse('unavailable', 'The add-on is not running. Nothing was created.'))
    : await previewed(desk, caller, id, request, made, client.right);
  if (isLeft(client) || isLeft(given)) {
    await drop(desk, caller, id, 'the add-on did not accept the creation');
    return given as Either<Refusal, never>;
  }
  const envelope = envelopeOf(desk, caller, id, request, made, 'apply', limits.applyTimeoutMs);
  handedOver(desk, id);
  const { revision } = given.right;
  const answer = await bounded(clock, limits.applyTimeoutMs, (signal) =>
    client.right.apply(envelope, revision, signal),
  );
  const outcome = outcomeOfApply(`create-${id}`, answer);
  if (outcome.kind === 'unknown') return left(unknown(operationId));
  desk.uncertainUntil.delete(id);
  if (outcome.kind !== 'committed') {
    await drop(desk, caller, id, 'the creation was not applied');
    return left(refusalOf(outcome, operationId));
  }
  const activated = store.decide(resourceKind, id, { type: 'activate', by: 'receipt' });
  if (isLeft(activated)) return left(unknown(operationId));
  const durable = await store.commit({ changes: [activated.right] }, { actor: caller.actor });
  if (isLeft(durable)) return left(unknown(operationId));
  const seen = { revision: outcome.receipt.revision };
  return right({ created: true, entry: await entry(desk, caller, id, request, seen) });
}

/**
 * Creates a resource that only the caller can see, as its owner. A repeat answers the same resource. Refuses `denied`
 * (not from the person's own page), `invalid_request`, `operation_conflict`, `stale`, `quota_reached`, `not_permitted`,
 * `busy`, `unavailable` (nothing created), `outcome_unknown` (repeat the same call).
 */
export async function createResource(desk: Desk, caller: Caller, request: Request): Promise<Either<Refusal, Created>> {
  const { store, ids } = desk.context;
  const shape = wellFormed(caller, request);
  if (isLeft(shape)) return shape;
  const open = ready(desk);
  if (isLeft(open)) return open;
  const { operationId, addonId, generation } = request.value;
  const id = resourceIdOf(caller, operationId);
  const turn = await desk.writes.take(id);
  if (turn === undefined) return left(unknown(operationId));
  try {
    const found = await earlier(desk, caller, id, request);
    if (isLeft(found)) return found;
    if (found.right !== undefined) return right(found.right);
    const made = plan(desk, request);
    if (isLeft(made)) return made;
    const body = sealJson(ids, made.right.arguments);
    const { userId, mode } = caller.actor;
    const reserved = reserve(store, id, {
      addonId,
      owner: { userId, mode },
      generation,
      origin: { kind: 'direct', operationId },
      argumentsRef: body.ref,
    });
    if (isLeft(reserved)) return reserved;
    desk.creating.add(id);
    const durable = await store.commit({ changes: [reserved.right], bodies: [body] }, { actor: caller.actor });
    return isLeft(durable) ? durable : await run(desk, caller, id, request, made.right);
  } finally {
    desk.creating.delete(id);
    turn();
  }
}
