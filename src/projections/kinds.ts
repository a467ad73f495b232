/** Every kind of stream the product has. */
import { hostPolicyKind } from './kinds/host-policy.js';
import { installationKind } from './kinds/installation.js';
import { librariesKind } from './kinds/libraries.js';
import { limitsKind } from './kinds/limits.js';
import { operationKind } from './kinds/operation.js';
import { ownerKind } from './kinds/owner.js';
import { processKind } from './kinds/process.js';
import { proposalKind } from './kinds/proposal.js';
import { resourceKind } from './kinds/resource.js';
import { sourceKind } from './kinds/source.js';
import type { AnyStreamKind } from './owner-state.js';

/** One line for each `kinds/<name>.ts`. */
export const KINDS: readonly AnyStreamKind[] = [
  ownerKind,
  installationKind,
  operationKind,
  processKind,
  proposalKind,
  resourceKind,
  sourceKind,
  limitsKind,
  librariesKind,
  hostPolicyKind,
];
