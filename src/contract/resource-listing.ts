/** The listing tool the host makes from its own grants; the add-on is not called for it (02:322-356). Pure. */
import type { JsonObject } from './json.js';
import { DEFAULT_LIST_ITEMS } from './manifest/resources.js';
import type { Manifest } from './manifest-types.js';
import { qualifiedName } from './qualified-names.js';

export interface ListingTool {
  readonly tool: string;
  /** The name a model sees. */
  readonly qualified: string;
  /** The key of the array in the result. */
  readonly items: string;
  /** A read tool that takes exactly `{}`. */
  readonly inputSchema: JsonObject;
}

/** The listing tool of an add-on; undefined when its manifest declares none, whatever else it declares. */
export function listingTool(manifest: Manifest): ListingTool | undefined {
  const list = manifest.capabilities.resources?.list;
  const qualified = list === undefined ? undefined : qualifiedName(manifest.id, list.tool);
  if (list === undefined || qualified === undefined) return undefined;
  const inputSchema = { type: 'object', properties: {}, additionalProperties: false };
  return { tool: list.tool, qualified, items: list.items ?? DEFAULT_LIST_ITEMS, inputSchema };
}

/** One grant on a resource of the add-on: the owner of a resource holds one with the role owner. */
export interface ListedGrant {
  readonly resourceId: string;
  readonly userId: string;
  readonly role: 'viewer' | 'editor' | 'owner';
  readonly name?: string;
}

export const MAX_LISTED = 100;

/** What the caller may use, in the order of resource ids, at most 100; `truncated` says when there is more. */
export function listResources(grants: readonly ListedGrant[], userId: string, items: string): JsonObject {
  const mine = grants.filter((grant) => grant.userId === userId).sort((a, b) => (a.resourceId < b.resourceId ? -1 : 1));
  const entries = mine.slice(0, MAX_LISTED).map(({ resourceId, role, name }) => ({
    resourceId,
    ...(name === undefined || name === '' ? {} : { name }),
    role,
  }));
  return { [items]: entries, truncated: mine.length > MAX_LISTED };
}
