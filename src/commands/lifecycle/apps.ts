/** The list of add-ons as apps, and the icon of one (12:8-53). */
import type { AppEntry, AppState } from '../../contract/api.js';
import { type Either, isLeft, left } from '../../contract/fp.js';
import type { LocalizedText, Manifest } from '../../contract/manifest-types.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { allInstalled, findInstalled, type InstalledAddon } from '../../projections/installed.js';
import type { OwnerContext } from '../context.js';
import type { RuntimeSync } from './runtime-sync.js';

const MOST_TOOLS = 32;

/** What the manifest says about an add-on as an app; a headless one has its id as title and no page or icon. */
export function describeApp(
  addonId: string,
  manifest: Manifest,
): Pick<
  AppEntry,
  'title' | 'description' | 'titles' | 'descriptions' | 'hasUI' | 'launchMode' | 'tools' | 'toolCount' | 'resourceNoun'
> {
  const { ui, tools, resources } = manifest.capabilities;
  return {
    title: plain(ui?.title) || addonId,
    description: plain(ui?.description),
    ...(typeof ui?.title === 'object' ? { titles: ui.title } : {}),
    ...(typeof ui?.description === 'object' ? { descriptions: ui.description } : {}),
    hasUI: ui !== undefined,
    launchMode: 'always',
    tools: tools.slice(0, MOST_TOOLS),
    toolCount: tools.length,
    ...(resources?.noun === undefined ? {} : { resourceNoun: resources.noun }),
  };
}

/** The default-language text: English where there is one, else the first. */
function plain(text: LocalizedText | undefined): string {
  if (text === undefined || typeof text === 'string') return text ?? '';
  return text.en ?? Object.values(text)[0] ?? '';
}

/** The two links of an entry; only an enabled add-on has a page to open. */
export function linksOf(installed: InstalledAddon): { mainPage?: string; icon?: string } {
  const { addonId, generation, enabled } = installed;
  const ui = installed.manifest.capabilities.ui;
  const page = ui?.mainPage !== undefined && ui.pages?.includes(ui.mainPage) === true ? ui.mainPage : undefined;
  return {
    ...(enabled && page !== undefined ? { mainPage: `/app/addons/${addonId}/${page}` } : {}),
    ...(ui?.icon === undefined ? {} : { icon: `/api/addons/apps/${addonId}/icon?generation=${generation}` }),
  };
}

/**
 * The observed state. A disabled add-on is `stopped`; an enabled one that is not serving and not on its way is
 * `failed`, never `stopped` (12:31-38; wire, "Routes").
 */
export function observedState(context: OwnerContext, sync: RuntimeSync, installed: InstalledAddon): AppState {
  if (!installed.enabled) return 'stopped';
  const observed = context.runtimes.observe(installed.addonId);
  const other = observed.generation !== undefined && observed.generation !== installed.generation;
  if (observed.state === 'starting' || (observed.state === 'running' && !other)) return observed.state;
  return installed.changing || sync.busy(installed.addonId) ? 'starting' : 'failed';
}

function entryOf(
  context: OwnerContext,
  sync: RuntimeSync,
  installed: InstalledAddon,
  administrator: boolean,
): AppEntry {
  const { addonId, version, generation, enabled, manifest, installedAt } = installed;
  return {
    id: addonId,
    name: addonId,
    ...describeApp(addonId, manifest),
    ...linksOf(installed),
    version,
    generation,
    enabled,
    state: observedState(context, sync, installed),
    installedAt,
    ...(administrator
      ? { admin: { canStart: !enabled, canStop: enabled, managementUrl: `/app/addons?manage=${addonId}` } }
      : {}),
  };
}

/** Everyone sees what is installed and enabled; an administrator also what is disabled. */
export function listApps(context: OwnerContext, sync: RuntimeSync, administrator: boolean): readonly AppEntry[] {
  return allInstalled(context.store.visible)
    .filter(({ enabled }) => enabled || administrator)
    .map((installed) => entryOf(context, sync, installed, administrator));
}

/** One refusal for every way in which there is no icon to show, so that nothing can be told from it (12:51-53). */
export const NO_ICON = refuse('denied', 'There is no such icon.');

/** The verified icon of an app the caller can see. */
export async function readIcon(
  context: OwnerContext,
  administrator: boolean,
  addonId: string,
  generation: number,
): Promise<Either<Refusal, { bytes: Uint8Array; mediaType: string }>> {
  const installed = findInstalled(context.store.visible, addonId);
  if (installed === undefined || installed.generation !== generation) return left(NO_ICON);
  if (!installed.enabled && !administrator) return left(NO_ICON);
  if (installed.manifest.capabilities.ui?.icon === undefined) return left(NO_ICON);
  const icon = await context.packages.icon(installed.directory);
  return isLeft(icon) ? left(NO_ICON) : icon;
}
