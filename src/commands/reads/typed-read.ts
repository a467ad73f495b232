/** A typed read through dispatch: checked like any request, then answered by the add-on (09:141-176, 10:12-42). */

import { type AllowedResource, credentialFor } from '../../contract/credential-check.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { ContractRequest, Result } from '../../contract/wire.js';
import { bounded, callRefusal, crowded, issue } from '../addon-call.js';
import { requireRole } from '../authority.js';
import type { Caller, WithRawArguments } from '../gateway.js';
import type { Desk } from '../proposals/desk.js';
import { isNamespaceId } from '../proposals/find.js';
import { ownListing } from '../resources/listing.js';
import { currentGeneration, namedTool } from '../tools.js';

const invalid = (message: string): Either<Refusal, never> => left(refuse('invalid_request', message));

function wellFormed(value: ContractRequest): Either<Refusal, { readonly resourceId?: string }> {
  if (value.action !== 'read') return invalid('A typed read has the action read.');
  if (!isNamespaceId(value.operationId)) return invalid('The operationId is malformed.');
  if (!isNamespaceId(value.addonId)) return invalid('The addonId is malformed.');
  if (!Number.isSafeInteger(value.generation) || value.generation < 1)
    return invalid('The generation must be the number of an installed generation, from 1.');
  if (value.resourceId === undefined || value.resourceId === '') return right({});
  return isNamespaceId(value.resourceId)
    ? right({ resourceId: value.resourceId })
    : invalid('The resourceId is malformed.');
}

/** What a call under a credential carries; a client can send none of it (02:386-389). */
const carried = (allowed: AllowedResource | undefined) =>
  allowed === undefined
    ? {}
    : {
        credential: allowed.secret,
        ...(allowed.resource === undefined
          ? {}
          : { resourceKey: allowed.resource.name, resourceId: allowed.resource.id }),
      };

/**
 * Answers the add-on's payload. The listing tool is answered by the owner itself. Refuses `no_credential`,
 * `resource_not_allowed`, `invalid_request` (malformed, or refused by the add-on), `denied` (undeclared
 * tool, stale generation, a result with files), `resource_unreachable`, `busy`, `unavailable`, `timeout` (504).
 */
export async function typedRead(
  desk: Desk,
  caller: Caller,
  request: WithRawArguments<ContractRequest>,
  signal?: AbortSignal,
): Promise<Either<Refusal, Result>> {
  const { store, clock, limits, runtimes } = desk.context;
  const { value, rawArguments } = request;
  const shape = wellFormed(value);
  if (isLeft(shape)) return shape;
  const resource = shape.right;
  const installed = currentGeneration(desk.findInstalled(store.visible, value.addonId), value.generation);
  if (isLeft(installed)) return installed;
  const listed = ownListing(desk, caller, installed.right, rawArguments, resource.resourceId);
  if (listed !== undefined) return listed;
  const tool = namedTool(installed.right, rawArguments, { kind: 'read', ...resource });
  if (isLeft(tool)) return tool;
  const bindings = desk.context.bindings?.(caller.actor, value.addonId) ?? [];
  const credential = credentialFor(installed.right.manifest, tool.right.arguments, bindings);
  if (isLeft(credential)) return credential;
  if (resource.resourceId !== undefined) {
    const target = { addonId: value.addonId, resourceId: resource.resourceId };
    const role = requireRole(store.visible, caller.actor, target, 'viewer');
    if (isLeft(role)) return role;
  }
  const turn = await desk.reads.take(value.addonId);
  if (turn === undefined) return left(crowded());
  const client = runtimes.current(value.addonId, value.generation);
  if (isLeft(client)) {
    turn();
    return left(refuse('unavailable', 'The add-on is not running. Turn it on or repeat the call later.'));
  }
  const envelope = issue(clock, caller.actor, 'read', limits.readTimeoutMs, {
    addonId: value.addonId,
    ...resource,
    operationId: value.operationId,
    generation: value.generation,
    action: 'read',
    arguments: tool.right.arguments,
    ...carried(credential.right),
  });
  const answer = await bounded(clock, limits.readTimeoutMs, (late) =>
    client.right.read(envelope, signal === undefined ? late : AbortSignal.any([late, signal])),
  ).finally(turn);
  const codes = { unavailable: 'unavailable', timeout: 'timeout', conflict: 'unavailable' } as const;
  if (isLeft(answer)) return left(callRefusal(answer.left, codes));
  const { payload, outputs } = answer.right;
  // Without a private artifact store a read that has files is denied whole (09:217-219).
  if (outputs !== undefined && outputs.length > 0)
    return left(refuse('denied', 'The answer has files, and this server keeps no private files. Nothing was kept.'));
  return right(payload === undefined ? {} : { payload });
}
