/** The listing tool: the owner answers it from its own record of who may use what, and asks the add-on nothing (02:322-356). */
import { declaredTool } from '../../contract/declared-tool.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { type ListedGrant, listingTool, listResources } from '../../contract/resource-listing.js';
import type { Result } from '../../contract/wire.js';
import type { InstalledAddon } from '../../projections/installed.js';
import { resourceKind } from '../../projections/kinds/resource.js';
import { roleOn } from '../authority.js';
import type { Caller } from '../gateway.js';
import type { Desk } from '../proposals/desk.js';

/**
 * The answer where the arguments name the listing tool of the add-on, else undefined. Refuses `invalid_request` for any
 * argument or resource beside it, and `unavailable` while the add-on is off or does not run.
 */
export function ownListing(
  desk: Desk,
  { actor }: Caller,
  installed: InstalledAddon,
  rawArguments: string,
  resourceId: string | undefined,
): Either<Refusal, Result> | undefined {
  const listing = listingTool(installed.manifest);
  if (listing === undefined) return undefined;
  const named = declaredTool(rawArguments, [listing.tool]);
  if (isLeft(named) || named.right.tool !== listing.tool) return undefined;
  if (resourceId !== undefined || Object.keys(named.right.arguments).length > 1)
    return left(refuse('invalid_request', 'The listing takes no arguments and no resource.'));
  const { store, runtimes } = desk.context;
  const { addonId, enabled, generation } = installed;
  if (!enabled || isLeft(runtimes.current(addonId, generation)))
    return left(refuse('unavailable', 'The add-on is not running. Turn it on or repeat the call later.'));
  const grants: ListedGrant[] = [];
  for (const [id, resource] of store.visible.all(resourceKind)) {
    const role = roleOn(store.visible, actor, id);
    if (resource.state === 'active' && resource.addonId === addonId && role !== undefined)
      grants.push({ resourceId: id, userId: actor.userId, role });
  }
  return right({ payload: listResources(grants, actor.userId, listing.items) });
}
