/** The signatures of an image as a registry keeps them: a manifest for each bundle, and the list of those that refer to the image. */
import { isLeft, right } from '../../src/contract/fp.js';
import type { SignatureCheck } from '../../src/packages/oci/oci-fetcher.js';
import { createSignatureCheck } from '../../src/packages/signatures/signature-check.js';
import { readTrustRoot } from '../../src/packages/signatures/trust-root.js';
import { type Blob, blob, descriptor, type Image, INDEX, MANIFEST } from './oci-image.js';
import type { RealRegistry } from './registry.js';
import { IDENTITY, ISSUER, type Sigstore, trustedRootBytes } from './sigstore.js';

export const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const EMPTY = 'application/vnd.oci.empty.v1+json';

/** What a library asks of its packages in these tests. */
export const SIGNED = { requireSignature: true, issuer: ISSUER, identity: IDENTITY };

/** A bundle attached to `subject`; `changes` replace fields of its manifest. */
export function attached(subject: Blob, bundle: Uint8Array, changes: object = {}): Image {
  const config = blob(EMPTY, '{}');
  const layer = blob(BUNDLE, bundle);
  const document = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    artifactType: BUNDLE,
    config: descriptor(config),
    layers: [descriptor(layer)],
    subject: descriptor(subject),
    ...changes,
  };
  return { manifest: blob(MANIFEST, JSON.stringify(document)), blobs: [config, layer] };
}

/** A list of referrers; `changes` replace fields of it. */
export function referrers(images: readonly Image[], changes: object = {}): Blob {
  const manifests = images.map(({ manifest }) => {
    const { artifactType } = JSON.parse(manifest.bytes.toString()) as { artifactType?: string };
    return { ...descriptor(manifest), ...(artifactType === undefined ? {} : { artifactType }) };
  });
  return blob(INDEX, JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests, ...changes }));
}

export const tagOf = (digest: string): string => digest.replace(':', '-');

/** Attaches bundles by the tag, as signing tools do where a registry has no list of referrers. */
export async function attach(
  registry: RealRegistry,
  repository: string,
  subject: Blob,
  bundles: readonly Uint8Array[],
): Promise<void> {
  const images = bundles.map((bundle) => attached(subject, bundle));
  for (const image of images) await registry.push(repository, image);
  await registry.pushManifest(repository, referrers(images), tagOf(subject.digest));
}

/** The check as the server has it, with the trust root of `sigstore`. */
export function checkOf(sigstore: Sigstore): SignatureCheck {
  const verifier = readTrustRoot(trustedRootBytes(sigstore));
  if (isLeft(verifier)) throw new Error(verifier.left);
  return createSignatureCheck({ verifier: async () => right(verifier.right) });
}
