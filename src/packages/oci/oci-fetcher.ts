/**
 * Packages as OCI images: the manifest by its digest, the image of this platform, its config, and its layers one after the other
 * (06:137-149; 15, "Package format"). Nothing is unpacked of an image that is larger than a package may be.
 */
import { createHash } from 'node:crypto';
import type { Clock, PackageReceipt } from '../../commands/ports.js';
import type { Release, SourcePolicy } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import { artifactAddress } from '../artifact-address.js';
import type { Archive, Artifact, ArtifactFetcher } from '../artifact-fetcher.js';
import { streamingFetch } from '../http-body.js';
import { type Answer, type Fetch, GetError } from '../http-get.js';
import { fetchFailed, Refused, unverified } from '../refused.js';
import { tooLarge } from '../unpacker.js';
import { registryAddress } from './address.js';
import { NO_REGISTRY_CREDENTIALS, type RegistryCredentials } from './credentials.js';
import { type ImageDocument, type Layer, readConfig } from './documents.js';
import { type FoundImage, findImage } from './find-image.js';
import { REGISTRY_TIMES, Registry, type RegistryTimes } from './registry.js';

/** Where a signature is verified: after the manifest is known by its digest, before a config or a layer is fetched. */
export interface SignatureCheck {
  /** Left: `package_unverified`, or `package_fetch_failed` when the signatures could not be read. */
  verify(subject: {
    readonly registry: Registry;
    readonly digest: string;
    readonly bytes: Uint8Array;
    readonly policy: SourcePolicy;
    readonly signal: AbortSignal;
  }): Promise<Either<Refusal, NonNullable<PackageReceipt['signer']>>>;
}

export interface OciFetcherOptions {
  readonly clock: Clock;
  readonly fetch?: Fetch;
  readonly credentials?: RegistryCredentials;
  /** Without it a package of a library that requires signatures is refused before anything is sent. */
  readonly signatures?: SignatureCheck;
  /** Compressed bytes of an image, its layers summed from the manifest (04, "Size limits"). */
  readonly downloadBytes: number;
  readonly times?: Partial<RegistryTimes>;
}

export function createOciFetcher(options: OciFetcherOptions): ArtifactFetcher {
  return {
    open: async (release, policy, signal, onStep = () => undefined) => {
      const registry = registryOf(release, policy, signal, options);
      if (isLeft(registry)) return registry;
      const found = await findImage(registry.right, release);
      if (isLeft(found)) return found;
      if (policy.requireSignature) onStep('verifying');
      const proof = await prove(found.right, registry.right, policy, signal, options);
      if (isLeft(proof)) return proof;
      onStep('size');
      const fits = await checkImage(found.right.image, registry.right, release, options.downloadBytes);
      if (isLeft(fits)) return fits;
      return right(artifactOf(found.right.image, registry.right, proof.right));
    },
  };
}

/** Refuses, before anything is sent, what the policy or the address does not allow. */
function registryOf(
  release: Release,
  policy: SourcePolicy,
  signal: AbortSignal,
  options: OciFetcherOptions,
): Either<Refusal, Registry> {
  if (policy.requireSignature && options.signatures === undefined)
    return left(unverified('its library requires a signature, which this server cannot check'));
  if (release.mutable !== true && !/^sha256:[0-9a-f]{64}$/.test(release.digest))
    return left(unverified('its library pins no digest for it'));
  const artifact = artifactAddress(release.artifact, policy.allowLoopbackHTTP === true);
  if (isLeft(artifact)) return left(fetchFailed(artifact.left));
  if (artifact.right.scheme !== 'oci') return left(fetchFailed('it is not an image of a registry'));
  const address = registryAddress(artifact.right, policy.allowLoopbackHTTP === true);
  if (isLeft(address)) return left(fetchFailed(address.left));
  return right(
    new Registry({
      address: address.right,
      credential: (options.credentials ?? NO_REGISTRY_CREDENTIALS).for(address.right.origin),
      fetch: options.fetch ?? streamingFetch,
      clock: options.clock,
      signal,
      times: { ...REGISTRY_TIMES, ...options.times },
    }),
  );
}

async function prove(
  { digest, bytes }: FoundImage,
  registry: Registry,
  policy: SourcePolicy,
  signal: AbortSignal,
  { signatures }: OciFetcherOptions,
): Promise<Either<Refusal, Artifact['proof']>> {
  if (!policy.requireSignature || signatures === undefined) return right({ digest, verification: 'sha256' });
  const signer = await signatures.verify({ registry, digest, bytes, policy, signal });
  if (isLeft(signer)) return signer;
  return right({ digest, verification: 'sha256+sigstore', signer: signer.right });
}

/** The size by its manifest, and the platform by its config (06:139-141). */
async function checkImage(
  image: ImageDocument,
  registry: Registry,
  release: Release,
  downloadBytes: number,
): Promise<Either<Refusal, void>> {
  if (sizeOf(image) > downloadBytes) return left(tooLarge(downloadBytes));
  const { digest, size } = image.config;
  const bytes = await registry.smallBlob(digest, size);
  if (isLeft(bytes)) return left(fetchFailed(bytes.left.message));
  if (bytes.right.byteLength !== size || digest !== `sha256:${sha256(bytes.right)}`)
    return left(unverified('its config is not the one its manifest names'));
  const platform = readConfig(bytes.right);
  if (isLeft(platform)) return left(unverified(platform.left));
  if (platform.right.os !== release.os || platform.right.arch !== release.arch)
    return left(unverified('it is for another platform than its library lists'));
  return right(undefined);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const layerBytes = ({ layers }: ImageDocument) => layers.reduce((sum, { size }) => sum + size, 0);
const sizeOf = (image: ImageDocument) => layerBytes(image) + image.config.size;

function artifactOf(image: ImageDocument, registry: Registry, proof: Artifact['proof']): Artifact {
  let open: Answer | undefined;
  async function* archives(): AsyncGenerator<Archive> {
    for (const layer of image.layers) {
      const sent = await registry.layer(layer.digest);
      if (isLeft(sent)) throw new GetError(sent.left.message);
      open = sent.right;
      const { declaredLength } = sent.right;
      if (declaredLength !== undefined && declaredLength !== layer.size) throw new Refused(wrongSize);
      yield archiveOf(layer, sent.right);
      open.close();
    }
  }
  return { archives: archives(), declaredBytes: layerBytes(image), proof, close: () => open?.close() };
}

const wrongSize = unverified('a layer is not as large as its manifest says');

function archiveOf(layer: Layer, answer: Answer): Archive {
  async function* exactly(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of answer.chunks) {
      bytes += chunk.byteLength;
      if (bytes > layer.size) throw new Refused(wrongSize);
      yield chunk;
    }
    if (bytes < layer.size) throw new Refused(wrongSize);
  }
  return {
    chunks: exactly(),
    compression: layer.compression,
    layer: true,
    verify: (streamSha256) =>
      layer.digest === `sha256:${streamSha256}`
        ? right(undefined)
        : left(unverified('a layer is not the one its manifest names')),
  };
}
