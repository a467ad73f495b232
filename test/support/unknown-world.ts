/** A world in which the outcome of an apply is not known, for tests of what the owner does then. */
import { local, must, refused, World } from './gateway-world.js';
import { assert } from './harness.js';

export const DOWN = { kind: 'outage' as const, message: 'down' };
export const HOUR = 3_600_000;

/** A proposal whose outcome is unknown; `lost`: it ran, `dropped`: it did not. Lookups fail until the test allows them. */
export async function unknownWorld(fault: 'lost' | 'dropped', owner = local()) {
  const world = await World.open();
  const database = await world.database(owner);
  const view = await world.pending(database, 'op-1', owner);
  world.addon.receiptFault = DOWN;
  world.addon.applyFaults.push(fault);
  const surface = { ...owner, surface: { subject: 'op-1' } };
  refused(await world.confirm(view, surface), 'outcome_unknown', 503);
  const applies = world.addon.applyCalls.length;
  return {
    world,
    database,
    view,
    surface,
    owner,
    noMoreApplies: () => assert.is(world.addon.applyCalls.length, applies),
  };
}

export const stateOf = async (world: World, id: string, caller = local()) =>
  must(await world.proposals.proposal(caller, id)).state;
