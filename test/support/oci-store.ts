/** A package store that reads registries, over a temporary folder: what the tests of OCI packages share. */
import type { PackageStore, Progress } from '../../src/commands/ports.js';
import type { Release, SourcePolicy } from '../../src/contract/api.js';
import type { ArtifactFetcher } from '../../src/packages/artifact-fetcher.js';
import { createRegistryCredentials, type RegistryBinding } from '../../src/packages/oci/credentials.js';
import { createOciFetcher, type OciFetcherOptions } from '../../src/packages/oci/oci-fetcher.js';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from '../../src/packages/package-limits.js';
import { release, withStore } from './package-store.js';
import { realClock } from './packages.js';

export interface OciOptions extends Partial<OciFetcherOptions> {
  readonly bindings?: readonly RegistryBinding[];
  readonly limits?: Partial<PackageLimits>;
}

export function ociFetcher({ bindings = [], limits, ...options }: OciOptions = {}): ArtifactFetcher {
  return createOciFetcher({
    clock: realClock,
    credentials: createRegistryCredentials(bindings, {}),
    downloadBytes: limits?.downloadBytes ?? DEFAULT_PACKAGE_LIMITS.downloadBytes,
    ...options,
  });
}

export const ociRelease = (artifact: string, digest: string, changes: Partial<Release> = {}): Release =>
  release(Buffer.alloc(0), { artifact, digest, ...changes });

export interface OciAsk {
  readonly policy?: Partial<SourcePolicy>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export const stageRelease = (store: PackageStore, wanted: Release, ask: OciAsk = {}) =>
  store.stage(
    wanted,
    { requireSignature: false, allowLoopbackHTTP: true, ...ask.policy },
    { signal: ask.signal ?? new AbortController().signal, onProgress: ask.onProgress ?? (() => undefined) },
  );

export const withOciStore = <A>(
  options: OciOptions,
  use: (bench: { root: string; store: PackageStore; names(): readonly string[] }) => Promise<A>,
): Promise<A> =>
  withStore(globalThis.fetch, use, {
    artifacts: ociFetcher(options),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
