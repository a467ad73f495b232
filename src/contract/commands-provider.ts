/** What a manifest says about running commands and their network, without anyone knowing the add-on's id (02:153-255). Pure. */
import { type ExecutionStatus, executionStatusOf, type StatusReport } from './execution-status.js';
import { covers } from './host-op-admission.js';
import type { JsonObject } from './json.js';
import { EGRESS_CHECK } from './manifest/host-operations.js';
import type { LocalizedText, Manifest } from './manifest-types.js';
import { isObject } from './shape.js';
import type { Result } from './wire.js';

export interface CommandsProvider {
  readonly tool: string;
  /** Its declared title, or the add-on's own. */
  readonly title: LocalizedText;
  readonly note?: string;
  /** Whether the add-on's document skills wait for a report that it is isolated. */
  readonly skillsNeedIsolation: boolean;
}

const ownTitle = (manifest: Manifest): LocalizedText => manifest.capabilities.ui?.title ?? manifest.id;

/** The provider of commands an add-on is, if one of its tools shadows `bash`. It grants nothing (02:173-176). */
export function commandsProvider(manifest: Manifest): CommandsProvider | undefined {
  const tool = manifest.capabilities.toolDefinitions.find(({ shadows }) => shadows === 'bash');
  if (tool === undefined) return undefined;
  const { execution } = tool;
  if (execution === undefined) return { tool: tool.name, title: ownTitle(manifest), skillsNeedIsolation: true };
  const skills = isObject(execution.skills) ? execution.skills.providesRuntimeFor : undefined;
  return {
    tool: tool.name,
    title: (execution.title as string | undefined) ?? ownTitle(manifest),
    ...(execution.note === undefined ? {} : { note: execution.note as string }),
    skillsNeedIsolation: Array.isArray(skills) && skills.includes('documents'),
  };
}

/** The note for the model: only while the provider itself reports that it is isolated (02:182). */
export const noteFor = (provider: CommandsProvider, status: ExecutionStatus): string | undefined =>
  status.isolation === 'isolated' ? provider.note : undefined;

const SILENT: StatusReport = {
  status: { readiness: 'unknown', isolation: 'unknown', networkPolicyEnforced: false },
  error: 'The add-on declares no execution status.',
};

/**
 * What an add-on claims about its commands. Without `executionProvider` nothing is claimed, whatever an answer says, and
 * the claim covers the bound tools alone (02:120-121, 02:136-137).
 */
export function claimOf(manifest: Manifest, tool: string, answer: Result | undefined): StatusReport {
  const { executionProvider } = (manifest.raw.capabilities ?? {}) as JsonObject;
  const bound = isObject(executionProvider) ? (executionProvider.tools as readonly string[]) : [];
  return bound.includes(tool) && answer !== undefined ? executionStatusOf(answer) : SILENT;
}

export interface NetworkControl {
  readonly title: LocalizedText;
  readonly presets: readonly { readonly id: string; readonly title: string }[];
}

/**
 * The `network-policy` control of an add-on, if it has one: a grant that covers `egress.check`, and either a `network`
 * declaration or, in a manifest from before that field, the request in `ui.controls` with a tool that replaces `bash`.
 */
export function networkControl(manifest: Manifest, grants: readonly string[]): NetworkControl | undefined {
  if (!covers(grants, EGRESS_CHECK)) return undefined;
  const { network, ui } = (manifest.raw.capabilities ?? {}) as JsonObject;
  const provider = commandsProvider(manifest);
  const title = provider?.title ?? ownTitle(manifest);
  if (isObject(network))
    return {
      title: (network.title as string | undefined) ?? title,
      presets: (network.presets ?? []) as unknown as NetworkControl['presets'],
    };
  const asks = isObject(ui) && Array.isArray(ui.controls) && ui.controls.includes('network-policy');
  return asks && provider !== undefined ? { title, presets: [] } : undefined;
}
