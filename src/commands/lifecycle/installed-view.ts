/** What an administrator sees of every installed add-on (12:380-402). */
import type { InstalledEntry } from '../../contract/api.js';
import { hostOpsView } from '../../contract/host-op-admission.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { allInstalled, type InstalledAddon } from '../../projections/installed.js';
import { installationKind } from '../../projections/kinds/installation.js';
import type { OwnerContext } from '../context.js';
import { describeApp, linksOf, observedState } from './apps.js';
import { dataDirectory } from './data-directory.js';
import type { RuntimeSync } from './runtime-sync.js';
import type { StorageSizes } from './storage-size.js';

async function entryOf(
  context: OwnerContext,
  sync: RuntimeSync,
  sizes: StorageSizes,
  installed: InstalledAddon,
): Promise<InstalledEntry | undefined> {
  const { addonId, version, generation, enabled, manifest, installedAt } = installed;
  const { current, generations } = context.store.visible.get(installationKind, addonId);
  if (current === undefined) return undefined;
  const { sourceId, channel, selection, verification, signer, digest, os, arch } = current;
  const observed = context.runtimes.observe(addonId);
  const state = observedState(context, sync, installed);
  const reason = state === 'failed' ? (sync.reason(addonId) ?? observed.reason) : undefined;
  const { host, api, protocol, dataFormat } = manifest;
  const hostOperations = hostOpsView(manifest, context.hostOps(addonId));
  return {
    id: addonId,
    ...describeApp(addonId, manifest),
    ...linksOf(installed),
    version,
    generation,
    enabled,
    state,
    installedAt,
    sourceId,
    channel,
    selection,
    verification,
    ...(signer === undefined ? {} : { signer }),
    digest,
    platform: { os, arch },
    compatibility: { host, api, protocol, dataFormat } as unknown as JsonObject,
    generations,
    restarts: observed.restarts,
    storage: await sizes.of(dataDirectory(context.dataRoot, addonId)),
    ...(hostOperations === undefined ? {} : { hostOperations }),
    ...(reason === undefined ? {} : { reason }),
    ...(observed.restartReason === undefined ? {} : { restartReason: observed.restartReason }),
  };
}

/** The installed view, by id; one walk of retained data at a time. */
export async function installedView(context: OwnerContext, sync: RuntimeSync, sizes: StorageSizes): Promise<Json> {
  const addons: InstalledEntry[] = [];
  for (const installed of allInstalled(context.store.visible)) {
    const entry = await entryOf(context, sync, sizes, installed);
    if (entry !== undefined) addons.push(entry);
  }
  return { addons } as unknown as Json;
}
