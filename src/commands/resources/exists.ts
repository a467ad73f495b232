/** Asking an add-on whether the backing of a resource exists: only its explicit answer counts (11:74-80, 09:273-278). */
import type { HeldResource } from '../../aggregates/resource.js';
import { isLeft } from '../../contract/fp.js';
import { bounded, issue, recoveryActor } from '../addon-call.js';
import { clientOf, type Desk } from '../proposals/desk.js';

const TOOL = 'resource-exists';

/** True or false as the add-on says; undefined when it is not running, does not declare the tool or cannot answer. */
export async function askExists(desk: Desk, resourceId: string, held: HeldResource): Promise<boolean | undefined> {
  const { store, clock, limits, ids } = desk.context;
  const installed = desk.findInstalled(store.visible, held.addonId);
  const client = clientOf(desk, held.addonId);
  if (installed === undefined || client === undefined) return undefined;
  if (!installed.manifest.capabilities.tools.includes(TOOL)) return undefined;
  const envelope = issue(clock, recoveryActor(held.owner), 'read', limits.readTimeoutMs, {
    addonId: held.addonId,
    resourceId,
    operationId: `exists-${ids.hex(16)}`,
    generation: installed.generation,
    action: 'read',
    arguments: { tool: TOOL },
  });
  const answer = await bounded(clock, limits.readTimeoutMs, (signal) => client.read(envelope, signal));
  if (isLeft(answer)) return undefined;
  const { payload } = answer.right;
  if (typeof payload !== 'object' || payload === null || !('exists' in payload)) return undefined;
  return typeof payload.exists === 'boolean' ? payload.exists : undefined;
}
