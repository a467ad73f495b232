/** What every use case is handed: the store, injected time and randomness, and the ports. */
import type { Actor } from '../contract/actor.js';
import type { CredentialBinding } from '../contract/credential-check.js';
import type { HostOpPolicy } from '../contract/host-op-admission.js';
import type { Limits } from '../contract/limits.js';
import type { HostProfile } from '../contract/manifest.js';
import type { CatalogFetcher, Clock, Ids, Log, PackageStore, Runtimes } from './ports.js';
import type { Store } from './store.js';

export interface OwnerContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly runtimes: Runtimes;
  readonly packages: PackageStore;
  readonly catalog: CatalogFetcher;
  readonly limits: Limits;
  /** For compatibility ranges and platform selection (05, "Manifest"; 06:92-104). */
  readonly host: HostProfile;
  /** What the administrator granted each add-on, as decided at the start of the owner (07:135-176). */
  readonly hostOps: (addonId: string) => HostOpPolicy;
  /** A person's bindings of an add-on, in the order of their list; absent where nothing can be bound (02:376-385). */
  readonly bindings?: (actor: Actor, addonId: string) => readonly CredentialBinding[];
  /** Absolute path of the folder `data`: what an add-on keeps is in `<dataRoot>/<addonId>`. */
  readonly dataRoot: string;
}
