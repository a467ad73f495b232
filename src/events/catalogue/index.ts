/** Every event type of the product, by name; an unknown type found in a journal is refused by name. */
import type { EventCatalogue, EventSpec } from '../event.js';
import { hostPolicyEvents } from './host-policy.js';
import { installationEvents } from './installation.js';
import { librariesEvents } from './libraries.js';
import { limitsEvents } from './limits.js';
import { operationEvents } from './operation.js';
import { ownerEvents } from './owner.js';
import { processEvents } from './process.js';
import { proposalEvents } from './proposal.js';
import { resourceEvents } from './resource.js';
import { sourceEvents } from './source.js';

/** One line for each `catalogue/<name>.ts`; two catalogues that declare the same type are a fault at start. */
const CATALOGUES: readonly EventCatalogue[] = [
  ownerEvents,
  installationEvents,
  operationEvents,
  processEvents,
  proposalEvents,
  resourceEvents,
  sourceEvents,
  limitsEvents,
  librariesEvents,
  hostPolicyEvents,
];

function merge(catalogues: readonly EventCatalogue[]): Readonly<Record<string, EventSpec<unknown>>> {
  const merged: Record<string, EventSpec<unknown>> = Object.create(null) as Record<string, EventSpec<unknown>>;
  for (const catalogue of catalogues)
    for (const [type, spec] of Object.entries(catalogue)) {
      if (!/^[A-Z][A-Za-z0-9]{0,63}$/.test(type)) throw new Error(`event type "${type}" is not a plain name`);
      if (type in merged) throw new Error(`event type ${type} is declared twice`);
      merged[type] = spec as EventSpec<unknown>;
    }
  return merged;
}

export const CATALOGUE: Readonly<Record<string, EventSpec<unknown>>> = merge(CATALOGUES);
