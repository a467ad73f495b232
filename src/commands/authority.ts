/**
 * Who may do what with a resource (09:210-250). One function decides, the actor is an argument of each call, and a
 * missing resource and a forbidden one give the same refusal.
 */
import { type HeldResource, UNREACHABLE } from '../aggregates/resource.js';
import type { Actor } from '../contract/actor.js';
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { InstalledAddon } from '../projections/installed.js';
import { resourceKind } from '../projections/kinds/resource.js';
import type { OwnerState } from '../projections/owner-state.js';

export type Role = 'viewer' | 'editor' | 'owner';

const RANK: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, owner: 3 };

export const sameOwner = (held: HeldResource, actor: Actor): boolean =>
  held.owner.userId === actor.userId && held.owner.mode === actor.mode;

/** The role of a person on an active resource. Installation administration gives none. */
export function roleOn(state: OwnerState, actor: Actor, resourceId: string): Role | undefined {
  const resource = state.get(resourceKind, resourceId);
  return resource.state === 'active' && sameOwner(resource, actor) ? 'owner' : undefined;
}

/** Refuses `resource_unreachable` unless the person has at least `role` on this active resource of this add-on. */
export function requireRole(
  state: OwnerState,
  actor: Actor,
  target: { readonly addonId: string; readonly resourceId: string },
  role: Role,
): Either<Refusal, void> {
  const resource = state.get(resourceKind, target.resourceId);
  const held = roleOn(state, actor, target.resourceId);
  if (resource.state !== 'active' || resource.addonId !== target.addonId || held === undefined)
    return left(UNREACHABLE);
  return RANK[held] >= RANK[role] ? right(undefined) : left(UNREACHABLE);
}

/** The role that an action needs; what is not classified needs the owner (09:237-238). */
export function roleFor(action: string): Role {
  if (action === 'read') return 'viewer';
  return action === 'write' ? 'editor' : 'owner';
}

/**
 * Creation authority: the add-on is installed, enabled and not changing (09:269-273). Refuses `denied` for an add-on
 * that is absent or off, `unavailable` while an operation on it runs.
 */
export function mayCreate(installed: InstalledAddon | undefined): Either<Refusal, void> {
  if (installed === undefined || !installed.enabled) return left(refuse('denied', 'Addon request denied'));
  if (installed.changing)
    return left(
      refuse('unavailable', 'The add-on is being changed. Nothing was created. Repeat the call in a moment.'),
    );
  return right(undefined);
}
