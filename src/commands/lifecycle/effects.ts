/** What applying a prepared operation changes; the same for the command and for a recovery that finishes it. */
import type { InstallationCommand } from '../../aggregates/installation.js';
import type { OperationAction } from '../../aggregates/operation.js';
import { type Either, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import { installationKind } from '../../projections/kinds/installation.js';
import type { Change, Store } from '../store.js';

function commandOf(action: OperationAction, generation: number): InstallationCommand | undefined {
  switch (action) {
    case 'install':
    case 'upgrade':
      return { type: 'install', generation };
    case 'enable':
    case 'disable':
    case 'uninstall':
      return { type: action };
    case 'catalog-source-save':
    case 'catalog-source-refresh':
      return undefined;
    default: {
      const never: never = action;
      return never;
    }
  }
}

/** Decided on the state ahead; commit it in the same synchronous step. */
export function effectOf(
  store: Store,
  operation: { readonly action: OperationAction; readonly addonId: string; readonly generation: number },
): Either<Refusal, readonly Change[]> {
  const command = commandOf(operation.action, operation.generation);
  if (command === undefined) return right([]);
  const decided = store.decide(installationKind, operation.addonId, command);
  return decided._tag === 'Left' ? decided : right([decided.right]);
}
