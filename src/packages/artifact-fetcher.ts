/** The seam between staging and where a package comes from: one fetcher for each scheme of an artifact address. */
import type { Clock, PackageReceipt } from '../commands/ports.js';
import type { Release, SourcePolicy } from '../contract/api.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import type { Refusal } from '../contract/refusal.js';
import { artifactAddress } from './artifact-address.js';
import { streamingFetch } from './http-body.js';
import { type Fetch, httpGet } from './http-get.js';
import { fetchFailed, unverified } from './refused.js';

/** One archive on its way here: the tar of a package, or one layer of its image. */
export interface Archive {
  /** Bytes as they come over the network; throws a `GetError` when the transfer fails. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly compression: 'none' | 'gzip';
  /** A layer of an image: names with a meaning to layers are refused, and folders of earlier layers may come again. */
  readonly layer: boolean;
  /** Compares what was declared with the SHA-256 (hex) of the bytes that came; staging keeps nothing of them before it said yes. */
  verify(streamSha256: string): Either<Refusal, void>;
}

/** A package on its way here. */
export interface Artifact {
  /** In order, each to be read and verified before the next is asked for; throws a `GetError` when one cannot be had. */
  readonly archives: AsyncIterable<Archive>;
  /** All archives together as they come over the network; for a progress display only. */
  readonly declaredBytes?: number;
  /** What the receipt says of a package whose every archive verified. */
  readonly proof: Pick<PackageReceipt, 'digest' | 'verification' | 'signer'>;
  /** Closes the connection when the package is not wanted any more; safe to repeat. */
  close(): void;
}

export interface ArtifactFetcher {
  /** Refuses before anything is sent when the policy of the source does not allow this kind of artifact. */
  open(
    release: Release,
    policy: SourcePolicy,
    signal: AbortSignal,
    /** Hears of each step before it begins. */
    onStep?: (step: 'verifying' | 'size') => void,
  ): Promise<Either<Refusal, Artifact>>;
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
        fetch: options.fetch ?? streamingFetch,
        clock: options.clock,
        signal,
        stallMs: options.stallMs ?? STALL_MS,
        totalMs: options.totalMs ?? TOTAL_MS,
      });
      if (isLeft(answer)) return left(fetchFailed(answer.left));
      const { chunks, close, declaredLength } = answer.right;
      const verify = (streamSha256: string) =>
        release.digest === `sha256:${streamSha256}`
          ? right(undefined)
          : left(unverified('its digest is not the one its library lists'));
      return right({
        archives: one({ chunks, compression: 'none', layer: false, verify }),
        close,
        proof: { digest: release.digest, verification: 'sha256' },
        ...(declaredLength === undefined ? {} : { declaredBytes: declaredLength }),
      });
    },
  };
}

async function* one(archive: Archive): AsyncGenerator<Archive> {
  yield archive;
}

/** Chooses by the scheme of the address. */
export function createArtifactFetcher(byScheme: {
  readonly oci: ArtifactFetcher;
  readonly tar: ArtifactFetcher;
}): ArtifactFetcher {
  return {
    open: (release, ...rest) =>
      (release.artifact.startsWith('oci://') ? byScheme.oci : byScheme.tar).open(release, ...rest),
  };
}
