/** The installed view: which generation of an add-on is current, and what its verified manifest declares. */
import type { Generation, Installation } from '../aggregates/installation.js';
import type { Manifest } from '../contract/manifest-types.js';
import { installationKind } from './kinds/installation.js';
import { operationKind } from './kinds/operation.js';
import { manifestOf } from './manifest-view.js';
import type { OwnerState } from './owner-state.js';

export interface InstalledAddon {
  readonly addonId: string;
  readonly version: string;
  readonly generation: number;
  readonly enabled: boolean;
  /** An operation on it is between intent and completed, so nothing new is admitted on its behalf. */
  readonly changing: boolean;
  /** Folder name under `packages/`. */
  readonly directory: string;
  readonly manifest: Manifest;
  readonly installedAt: string;
}

/** The current generation, or undefined when the add-on is not installed. Manifests come from the journal, parsed once. */
export type FindInstalled = (state: OwnerState, addonId: string) => InstalledAddon | undefined;

/** States are immutable, so the manifest of a generation is parsed once and forgotten with it. */
const manifests = new WeakMap<Generation, Manifest>();

/** The parsed manifest of a recorded generation. */
export function manifestOfGeneration(generation: Generation): Manifest {
  const known = manifests.get(generation);
  if (known !== undefined) return known;
  const manifest = manifestOf(generation.manifest);
  manifests.set(generation, manifest);
  return manifest;
}

/** True while an operation on the add-on is unfinished; settled ones are not in memory, so this is a short scan. */
export function isChanging(state: OwnerState, addonId: string): boolean {
  for (const operation of state.all(operationKind).values())
    if (operation.phase !== 'none' && operation.addonId === addonId) return true;
  return false;
}

function viewOf(state: OwnerState, addonId: string, entry: Installation): InstalledAddon | undefined {
  if (entry.status !== 'installed' || entry.current === undefined) return undefined;
  const { version, generation, directory } = entry.current;
  return {
    addonId,
    version,
    generation,
    enabled: entry.enabled,
    changing: isChanging(state, addonId),
    directory,
    manifest: manifestOfGeneration(entry.current),
    installedAt: entry.installedAt ?? '',
  };
}

/** See `FindInstalled`. */
export const findInstalled: FindInstalled = (state, addonId) =>
  viewOf(state, addonId, state.get(installationKind, addonId));

/** Every installed add-on, by id. */
export function allInstalled(state: OwnerState): readonly InstalledAddon[] {
  const views = [...state.all(installationKind)].map(([addonId, entry]) => viewOf(state, addonId, entry));
  return views.filter((view) => view !== undefined).sort((a, b) => (a.addonId < b.addonId ? -1 : 1));
}
