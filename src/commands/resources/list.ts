/** A person's resources of one add-on, with the names the add-on gives them (11:12). */
import type { HeldResource } from '../../aggregates/resource.js';
import type { ResourceEntry } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { Revision } from '../../contract/wire.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { bounded, cut, isRevision, issue } from '../addon-call.js';
import { roleOn } from '../authority.js';
import type { Caller } from '../gateway.js';
import { clientOf, type Desk } from '../proposals/desk.js';
import { isNamespaceId } from '../proposals/find.js';

const MAX_ENTRIES = 100;
const MAX_NAME = 256;

export interface Inspected {
  readonly name?: string;
  readonly revision?: Revision;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function inspected(payload: Json | undefined): Inspected {
  if (!isObject(payload)) return {};
  const name = typeof payload.name === 'string' && payload.name !== '' ? { name: cut(payload.name, MAX_NAME) } : {};
  if (!isObject(payload.revision)) return name;
  const { schema, data } = payload.revision;
  const revision = { schema: Number(schema), data: Number(data) };
  return isRevision(revision) ? { ...name, revision } : name;
}

/** Name and revision by the mapped `inspect` tool; undefined when the add-on does not serve. */
export async function inspect(
  desk: Desk,
  caller: Caller,
  resourceId: string,
  addonId: string,
): Promise<Inspected | undefined> {
  const { store, clock, limits, ids } = desk.context;
  const installed = desk.findInstalled(store.visible, addonId);
  const client = clientOf(desk, addonId);
  const tool = installed?.manifest.capabilities.resources?.inspect;
  if (installed === undefined || client === undefined || tool === undefined) return undefined;
  const envelope = issue(clock, caller.actor, 'read', limits.readTimeoutMs, {
    addonId,
    resourceId,
    operationId: `inspect-${ids.hex(16)}`,
    generation: installed.generation,
    action: 'read',
    arguments: { tool },
  });
  const answer = await bounded(clock, limits.readTimeoutMs, (signal) => client.read(envelope, signal));
  if (!isLeft(answer)) return inspected(answer.right.payload);
  return answer.left.kind === 'refused' ? {} : undefined;
}

/** An entry; for the owner role also the revision and with how many people it is shared. */
export function entryOf(
  resourceId: string,
  held: HeldResource,
  role: ResourceEntry['role'],
  seen: Inspected,
): ResourceEntry {
  const forOwner = role === 'owner' ? { sharedWith: 0 } : {};
  const shared = role !== 'owner' && held.ownerName !== undefined ? { owner: { displayName: held.ownerName } } : {};
  const revision = role === 'owner' && seen.revision !== undefined ? { revision: seen.revision } : {};
  return {
    resourceId,
    addonId: held.addonId,
    name: seen.name ?? resourceId,
    role,
    ...shared,
    ...forOwner,
    ...revision,
  };
}

/** Reads names a few at a time until all are there, the add-on falls silent, or the time for one read is over. */
async function namesOf(
  desk: Desk,
  caller: Caller,
  addonId: string,
  ids: readonly string[],
): Promise<Map<string, Inspected>> {
  const { clock, limits } = desk.context;
  const names = new Map<string, Inspected>();
  const queue = [...ids];
  let over = false;
  const worker = async () => {
    for (let id = queue.shift(); id !== undefined && !over; id = queue.shift()) {
      const turn = clientOf(desk, addonId) === undefined ? undefined : await desk.background.take(addonId);
      if (turn === undefined) return;
      try {
        const seen = over ? undefined : await inspect(desk, caller, id, addonId);
        if (seen === undefined) over = true;
        else names.set(id, seen);
      } finally {
        turn();
      }
    }
  };
  const workers = Math.max(1, Math.floor(limits.concurrency / 2));
  let disarm = () => {};
  const late = new Promise<void>((resolve) => {
    disarm = clock.after(limits.readTimeoutMs, () => {
      over = true;
      resolve();
    });
  });
  await Promise.race([Promise.all(Array.from({ length: workers }, worker)), late]);
  disarm();
  return names;
}

/**
 * At most 100 resources the caller owns or that were shared with them. An add-on that is down costs the names only:
 * the resource's id stands in. Refuses `invalid_request` for a malformed add-on id.
 */
export async function listResources(
  desk: Desk,
  caller: Caller,
  addonId: string,
): Promise<Either<Refusal, readonly ResourceEntry[]>> {
  if (!isNamespaceId(addonId)) return left(refuse('invalid_request', 'The addonId is missing or malformed.'));
  const { visible } = desk.context.store;
  const mine = [...visible.all(resourceKind)].flatMap(([id, resource]) => {
    const role = roleOn(visible, caller.actor, id);
    return resource.state === 'active' && resource.addonId === addonId && role !== undefined
      ? [{ id, resource, role }]
      : [];
  });
  const page = mine.slice(0, MAX_ENTRIES);
  const names = await namesOf(
    desk,
    caller,
    addonId,
    page.map(({ id }) => id),
  );
  return right(page.map(({ id, resource, role }) => entryOf(id, resource, role, names.get(id) ?? {})));
}
