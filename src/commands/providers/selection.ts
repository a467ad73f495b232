/** Which add-ons can replace a built-in tool or document skill, and which one does now (09:86-122; 05:130-135). */

import { isLeft } from '../../contract/fp.js';
import type { Manifest } from '../../contract/manifest-types.js';
import { byInstallation, type Candidate, skillProvider, toolProvider } from '../../contract/provider-choice.js';
import { isObject } from '../../contract/shape.js';
import type { Choices, Replaceable, ToolProviderRow, ToolProvidersView } from '../../contract/tool-providers.js';
import { REPLACEABLE } from '../../contract/tool-providers.js';
import { allInstalled, type InstalledAddon } from '../../projections/installed.js';
import { hostPolicyKind, POLICY_ID } from '../../projections/kinds/host-policy.js';
import type { OwnerContext } from '../context.js';

const TOOLS: ReadonlySet<Replaceable> = new Set(['bash', 'web_search', 'web_fetch']);

export const policyOf = (context: OwnerContext) => context.store.visible.get(hostPolicyKind, POLICY_ID);

function replaces(manifest: Manifest, name: Replaceable): boolean {
  if (TOOLS.has(name)) return manifest.capabilities.toolDefinitions.some(({ shadows }) => shadows === name);
  const { capabilities } = manifest.raw;
  const skills = isObject(capabilities) ? capabilities.skillDefinitions : undefined;
  return Array.isArray(skills) && skills.some((skill) => isObject(skill) && skill.shadows === name);
}

interface Provider extends Candidate {
  readonly installed: InstalledAddon;
}

function providersOf(context: OwnerContext, name: Replaceable): readonly Provider[] {
  return allInstalled(context.store.visible)
    .filter(({ manifest }) => replaces(manifest, name))
    .map((installed) => {
      const { addonId, installedAt, enabled, generation } = installed;
      const canServe = enabled && !isLeft(context.runtimes.current(addonId, generation));
      return { addonId, ...(installedAt === '' ? {} : { installedAt }), canServe, installed };
    });
}

const served = (name: Replaceable, from: readonly Candidate[], choices: Choices): string | undefined =>
  (TOOLS.has(name) ? toolProvider : skillProvider)(name, from, choices as Record<string, string>);

/** The add-on that serves a name at this moment, by the owner's own policy; undefined when none does. */
export function servingAddon(context: OwnerContext, name: Replaceable): InstalledAddon | undefined {
  const providers = providersOf(context, name);
  const chosen = served(name, providers, policyOf(context).choices);
  return providers.find(({ addonId }) => addonId === chosen)?.installed;
}

function rowOf(context: OwnerContext, name: Replaceable, choices: Choices): ToolProviderRow {
  const providers = [...providersOf(context, name)].sort(byInstallation);
  const serving = served(name, providers, choices);
  const chosen = choices[name];
  const idle = serving === undefined && providers.length > 0;
  return {
    tool: name,
    ...(chosen === undefined ? {} : { chosen }),
    ...(serving === undefined ? {} : { serving }),
    ...(idle ? { note: TOOLS.has(name) ? TOOL_IDLE : SKILL_IDLE } : {}),
    candidates: providers.map(({ addonId, canServe, installed }) => ({
      addonId,
      version: installed.version,
      installedAt: installed.installedAt,
      stopped: !canServe,
    })),
  };
}

const TOOL_IDLE = 'The add-on that replaces this tool is not running: the built-in tool serves.';
const SKILL_IDLE = 'The add-on that serves this skill is not running: nobody serves it.';

export function providersView(context: OwnerContext): ToolProvidersView {
  const { revision, choices } = policyOf(context);
  return { revision, tools: REPLACEABLE.map((name) => rowOf(context, name, choices)) };
}
