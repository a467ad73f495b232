/** The library and package adapters, wired together: what a composition root needs to make the two ports. */
import type { BackendStore, CatalogFetcher, Clock, Ids, Log, PackageStore } from '../commands/ports.js';
import type { HostProfile } from '../contract/manifest.js';
import { createArtifactFetcher, createTarFetcher } from './artifact-fetcher.js';
import { createBackendStore } from './backend-store.js';
import { createCatalogFetcher } from './catalog-fetcher.js';
import type { CredentialResolver } from './credentials.js';
import type { Fetch } from './http-get.js';
import type { RegistryCredentials } from './oci/credentials.js';
import { createOciFetcher, type SignatureCheck } from './oci/oci-fetcher.js';
import { backendLimits, DEFAULT_BACKEND_BYTES, DEFAULT_PACKAGE_LIMITS, type PackageLimits } from './package-limits.js';
import type { SyncFileSystem } from './stage-sync.js';
import { createPackageStore } from './store.js';

export { packageLimits } from './package-limits.js';

export interface PackagesOptions {
  /** Absolute path of `packages/`, with no symbolic link on the way to it; the caller resolves the operator's own links first. */
  readonly root: string;
  readonly host: HostProfile;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** From `packageLimits`. */
  readonly limits?: PackageLimits;
  /** For libraries only: never for a registry, and a tar archive is always downloaded anonymously (06:143-145, 161). */
  readonly credentials?: CredentialResolver;
  /** For OCI registries only. */
  readonly registries?: RegistryCredentials;
  readonly signatures?: SignatureCheck;
  readonly fetch?: Fetch;
  readonly syncFileSystem?: SyncFileSystem;
}

export function createPackages(options: PackagesOptions): {
  readonly catalog: CatalogFetcher;
  readonly store: PackageStore;
} {
  const { root, host, clock, ids, log, limits = DEFAULT_PACKAGE_LIMITS } = options;
  const network = { clock, ...(options.fetch === undefined ? {} : { fetch: options.fetch }) };
  const artifacts = createArtifactFetcher({
    oci: ociFetcher(options, limits.downloadBytes),
    tar: createTarFetcher(network),
  });
  const credentials = options.credentials === undefined ? {} : { credentials: options.credentials };
  return {
    catalog: createCatalogFetcher({ ...network, ...credentials, log }),
    store: createPackageStore({
      root,
      host,
      ids,
      artifacts,
      limits,
      ...(options.syncFileSystem === undefined ? {} : { syncFileSystem: options.syncFileSystem }),
    }),
  };
}

/** The backends directory at `root`, an absolute path with no symbolic link on the way; `maxBytes` bounds an image as it is sent. */
export function createBackends(
  options: Omit<PackagesOptions, 'limits'> & { readonly maxBytes?: number },
): BackendStore {
  const { root, ids, clock, maxBytes = DEFAULT_BACKEND_BYTES } = options;
  const limits = backendLimits(maxBytes);
  return createBackendStore({
    root,
    ids,
    clock,
    limits,
    images: ociFetcher(options, maxBytes),
    ...(options.syncFileSystem === undefined ? {} : { syncFileSystem: options.syncFileSystem }),
  });
}

function ociFetcher(options: PackagesOptions, downloadBytes: number) {
  const { clock, fetch, registries, signatures } = options;
  return createOciFetcher({
    clock,
    downloadBytes,
    ...(fetch === undefined ? {} : { fetch }),
    ...(registries === undefined ? {} : { credentials: registries }),
    ...(signatures === undefined ? {} : { signatures }),
  });
}
