/** What every use case is handed: the store, injected time and randomness, and the ports. */
import type { Limits } from '../contract/limits.js';
import type { CatalogFetcher, Clock, Ids, Log, PackageStore, Runtimes } from './ports.js';
import type { Store } from './store.js';

/** What this host is, for compatibility ranges and platform selection (05, "Manifest"; 06:92-104). */
export interface HostTuple {
  /** As in package entries: `linux`. */
  readonly os: string;
  /** As in package entries: `amd64`, `arm64`. */
  readonly arch: string;
  readonly host: number;
  readonly api: number;
  readonly protocol: number;
  readonly dataFormat: number;
  readonly sdk: number;
}

export interface OwnerContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly runtimes: Runtimes;
  readonly packages: PackageStore;
  readonly catalog: CatalogFetcher;
  readonly limits: Limits;
  readonly host: HostTuple;
  /** Absolute path of the folder `data`: what an add-on keeps is in `<dataRoot>/<addonId>`. */
  readonly dataRoot: string;
}
