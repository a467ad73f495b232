/** The installed view: which generation of an add-on is current, and what its verified manifest declares. */
import type { Manifest } from '../contract/manifest-types.js';
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
