/** For administrators: the choice of providers, and what the provider of commands says of itself (16:232-236; 17:129-156). */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { ExecutionView, ProvidersChange, ToolProvidersView } from '../../contract/tool-providers.js';
import { hostPolicyKind, POLICY_ID } from '../../projections/kinds/host-policy.js';
import type { OwnerContext } from '../context.js';
import type { Caller } from '../gateway.js';
import { observeExecution } from './observe.js';
import { providersView } from './selection.js';

export interface ProvidersParts {
  readonly context: OwnerContext;
  /** Whether the caller is an administrator now; asked anew at every step that shows or changes something. */
  readonly admit: (caller: Caller) => Promise<Either<Refusal, void>>;
}

export class Providers {
  constructor(private readonly parts: ProvidersParts) {}

  async view(caller: Caller): Promise<Either<Refusal, ToolProvidersView>> {
    const allowed = await this.admitted(caller);
    return isLeft(allowed) ? allowed : right(providersView(this.parts.context));
  }

  /**
   * Records the named choices and leaves the others. A repeat of the same change answers the choices as they are now.
   * Refuses `stale` (another change came first), `operation_conflict`, `insufficient_storage` and `fenced`: nothing
   * changed. After `outcome_unknown` the same call, repeated when the server runs again, changes nothing twice.
   */
  async change(caller: Caller, change: ProvidersChange): Promise<Either<Refusal, ToolProvidersView>> {
    const allowed = await this.admitted(caller);
    if (isLeft(allowed)) return allowed;
    const { context } = this.parts;
    const decided = context.store.decide(hostPolicyKind, POLICY_ID, { type: 'change-providers', ...change });
    if (isLeft(decided)) return decided;
    const { actor } = caller;
    const done = await context.store.commit({ changes: [decided.right] }, { actor, operationId: change.operationId });
    return isLeft(done) ? done : right(providersView(context));
  }

  async execution(caller: Caller): Promise<Either<Refusal, ExecutionView>> {
    return observeExecution(this.parts.context, caller, () => this.admitted(caller));
  }

  /** After a storage fault it is not known which choices hold, so none is shown and none is taken (17:127-128). */
  private async admitted(caller: Caller): Promise<Either<Refusal, void>> {
    const allowed = await this.parts.admit(caller);
    if (isLeft(allowed)) return allowed;
    if (this.parts.context.store.journal.fenced() === undefined) return right(undefined);
    return left(
      refuse(
        'fenced',
        'The storage failed, so it is not known which add-on was chosen. Nothing changed. An operator must restart the server.',
      ),
    );
  }
}
