/** The seam between staging and where a package comes from: one fetcher for each scheme of an artifact address. */
import type { Clock, PackageReceipt } from '../commands/ports.js';
import type { Release, SourcePolicy } from '../contract/api.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import type { Refusal } from '../contract/refusal.js';
import { artifactAddress } from './artifact-address.js';
import { type Fetch, httpGet } from './http-get.js';
import { fetchFailed, unverified } from './refused.js';

/** The tar archive of a package on its way here. */
export interface Artifact {
  /** Uncompressed bytes as the archive holds them; throws a `GetError` when the transfer fails. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** For a progress display only. */
  readonly declaredBytes?: number;
  /** Compares what was declared with the SHA-256 of the bytes that came; staging uses nothing of them before it said yes. */
  verify(streamSha256: string): Either<Refusal, Pick<PackageReceipt, 'digest' | 'verification' | 'signer'>>;
  /** Closes the connection when the archive is not wanted any more. */
  close(): void;
}

export interface ArtifactFetcher {
  /** Refuses before anything is sent when the policy of the source does not allow this kind of artifact. */
  open(release: Release, policy: SourcePolicy, signal: AbortSignal): Promise<Either<Refusal, Artifact>>;
}

export interface TarFetcherOptions {
  readonly clock: Clock;
  readonly fetch?: Fetch;
  /** Longest wait for the next bytes, and for the whole download. */
  readonly stallMs?: number;
  readonly totalMs?: number;
}

const STALL_MS = 30_000;
const TOTAL_MS = 3_600_000;

/**
 * Uncompressed tar archives over HTTPS, or plain HTTP from a literal loopback address where the source opted in: anonymous, no
 * redirects, digest required (06:158-164). A source that requires signatures is refused: an archive cannot carry one.
 */
export function createTarFetcher(options: TarFetcherOptions): ArtifactFetcher {
  return {
    open: async (release, policy, signal) => {
      if (policy.requireSignature)
        return left(unverified('its library requires a signature, which a tar archive cannot carry'));
      if (!/^sha256:[0-9a-f]{64}$/.test(release.digest)) return left(unverified('its library pins no digest for it'));
      const address = artifactAddress(release.artifact, policy.allowLoopbackHTTP === true);
      if (isLeft(address)) return left(fetchFailed(address.left));
      if (address.right.scheme === 'oci') return left(fetchFailed('it is not a tar archive'));
      const answer = await httpGet(address.right.url, {
        fetch: options.fetch ?? globalThis.fetch,
        clock: options.clock,
        signal,
        stallMs: options.stallMs ?? STALL_MS,
        totalMs: options.totalMs ?? TOTAL_MS,
      });
      if (isLeft(answer)) return left(fetchFailed(answer.left));
      const { chunks, close, declaredLength } = answer.right;
      return right({
        chunks,
        close,
        ...(declaredLength === undefined ? {} : { declaredBytes: declaredLength }),
        verify: (streamSha256) =>
          release.digest === `sha256:${streamSha256}`
            ? right({ digest: release.digest, verification: 'sha256' })
            : left(unverified('its digest is not the one its library lists')),
      });
    },
  };
}

/** Says plainly that this version does not read registries. */
export const ociNotSupported: ArtifactFetcher = {
  open: async () =>
    left(fetchFailed('packages from an OCI registry (oci://) are not supported by this version; use an HTTPS archive')),
};

/** Chooses by the scheme of the address. */
export function createArtifactFetcher(byScheme: {
  readonly oci: ArtifactFetcher;
  readonly tar: ArtifactFetcher;
}): ArtifactFetcher {
  return {
    open: (release, policy, signal) =>
      (release.artifact.startsWith('oci://') ? byScheme.oci : byScheme.tar).open(release, policy, signal),
  };
}
