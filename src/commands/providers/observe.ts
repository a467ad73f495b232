/**
 * What the selected provider of commands says of itself. The owner finds the provider; nobody names it. Whatever the
 * caller may do and whoever serves is looked up before the question and again before the answer is shown, so that an
 * answer never speaks for another provider than the one that serves now (17:144-156). It authorizes nothing.
 */
import { claimOf, commandsProvider } from '../../contract/commands-provider.js';
import type { ExecutionStatus } from '../../contract/execution-status.js';
import { type Either, isLeft, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import { isObject } from '../../contract/shape.js';
import type { ExecutionView } from '../../contract/tool-providers.js';
import type { InstalledAddon } from '../../projections/installed.js';
import { bounded, callRefusal, issue } from '../addon-call.js';
import type { OwnerContext } from '../context.js';
import type { Caller } from '../gateway.js';
import type { RuntimeClient } from '../ports.js';
import { servingAddon } from './selection.js';

const UNKNOWN: ExecutionStatus = { readiness: 'unknown', isolation: 'unknown', networkPolicyEnforced: false };

interface Selected {
  readonly installed: InstalledAddon;
  readonly client: RuntimeClient;
  readonly tool: string;
  readonly statusTool?: string;
}

const NOBODY = 'No add-on runs the commands: the built-in tool serves, which runs them on the host without isolation.';
const CHANGED = 'Who runs the commands changed while the status was read. Read it again.';
const NO_STATUS = 'The add-on declares no execution status.';

function selected(context: OwnerContext): Selected | undefined {
  const installed = servingAddon(context, 'bash');
  const provider = installed && commandsProvider(installed.manifest);
  if (installed === undefined || provider === undefined) return undefined;
  const client = context.runtimes.current(installed.addonId, installed.generation);
  if (isLeft(client)) return undefined;
  const { capabilities } = installed.manifest.raw;
  const declared = isObject(capabilities) ? capabilities.executionProvider : undefined;
  const statusTool = isObject(declared) && typeof declared.statusTool === 'string' ? declared.statusTool : undefined;
  return {
    installed,
    client: client.right,
    tool: provider.tool,
    ...(statusTool === undefined ? {} : { statusTool }),
  };
}

/** The binding: which process of which generation is asked about which tool. */
const same = (a: Selected, b: Selected | undefined): boolean =>
  a.installed.addonId === b?.installed.addonId &&
  a.installed.generation === b.installed.generation &&
  a.client.incarnation === b.client.incarnation &&
  a.tool === b.tool &&
  a.statusTool === b.statusTool;

const providerOf = ({ installed: { addonId, generation }, client: { incarnation } }: Selected) => ({
  addonId,
  generation,
  incarnation,
});

async function ask(context: OwnerContext, { actor }: Caller, from: Selected, tool: string) {
  const { clock, limits, ids } = context;
  const { addonId, generation } = from.installed;
  const envelope = issue(clock, actor, 'read', limits.readTimeoutMs, {
    addonId,
    operationId: `status-${ids.hex(16)}`,
    generation,
    action: 'read',
    arguments: { tool },
  });
  return bounded(clock, limits.readTimeoutMs, (signal) => from.client.read(envelope, signal));
}

/** Every doubt gives the status unknown with the reason; only a caller who may not ask is refused. */
export async function observeExecution(
  context: OwnerContext,
  caller: Caller,
  admitted: () => Promise<Either<Refusal, void>>,
): Promise<Either<Refusal, ExecutionView>> {
  const allowed = await admitted();
  if (isLeft(allowed)) return allowed;
  const before = selected(context);
  if (before === undefined) return right({ status: UNKNOWN, reason: NOBODY });
  const provider = providerOf(before);
  if (before.statusTool === undefined) return right({ provider, status: UNKNOWN, reason: NO_STATUS });
  const answer = await ask(context, caller, before, before.statusTool);
  const still = await admitted();
  if (isLeft(still)) return still;
  const after = selected(context);
  if (!same(before, after))
    return right({ ...(after === undefined ? {} : { provider: providerOf(after) }), status: UNKNOWN, reason: CHANGED });
  if (isLeft(answer)) {
    const codes = { unavailable: 'unavailable', timeout: 'timeout', conflict: 'unavailable' } as const;
    return right({ provider, status: UNKNOWN, reason: callRefusal(answer.left, codes).message });
  }
  const { status, error } = claimOf(before.installed.manifest, before.tool, answer.right);
  return right({ provider, status, ...(error === undefined ? {} : { reason: error }) });
}
