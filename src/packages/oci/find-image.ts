/** From a release to the manifest of the image for its platform, each document known by its digest before it is read (06:139-141). */
import { createHash } from 'node:crypto';
import type { Release } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import { artifactAddress } from '../artifact-address.js';
import { fetchFailed, unverified } from '../refused.js';
import { type ImageDocument, type IndexDocument, readDocument } from './documents.js';
import type { Registry, RegistryDocument } from './registry.js';

export interface FoundImage {
  /** What the receipt records and a signature is about: the pinned digest, or that of the image a moving tag led to. */
  readonly digest: string;
  /** The bytes that have this digest. */
  readonly bytes: Uint8Array;
  readonly image: ImageDocument;
}

/**
 * A pinned release is read by its digest alone, whatever its tag names by now. A mutable one is read by its tag, once: the image
 * that this answer leads to is the one installed, even when the tag moves meanwhile (15, "Release platform matrix").
 */
export async function findImage(registry: Registry, release: Release): Promise<Either<Refusal, FoundImage>> {
  const reference = release.mutable === true ? tagOf(release) : release.digest;
  const first = await registry.document(reference);
  if (isLeft(first)) return left(first.left.absent ? notThere(first.left.message) : fetchFailed(first.left.message));
  const named = release.mutable === true ? digestOf(first.right) : release.digest;
  const document = known(first.right, named);
  if (isLeft(document)) return document;
  const { bytes } = first.right;
  if (document.right.kind === 'image') return right({ digest: named, bytes, image: document.right });
  const chosen = choose(document.right, release);
  if (isLeft(chosen)) return chosen;
  const second = await registry.document(chosen.right);
  if (isLeft(second)) return left(fetchFailed(second.left.message));
  const image = known(second.right, chosen.right);
  if (isLeft(image)) return image;
  if (image.right.kind !== 'image') return left(unverified('its index lists another index for this platform'));
  // A library that pins the index means the index; a tag only leads to the image.
  return right(
    release.mutable === true
      ? { digest: chosen.right, bytes: second.right.bytes, image: image.right }
      : { digest: named, bytes, image: image.right },
  );
}

/** A registry that has it not is the one reason to look at a mirror. */
const notThere = (message: string): Refusal => ({ ...fetchFailed(message), detail: { code: 'absent' } });

/** The tag of a mutable release; without one, the tag that registries take for it. */
function tagOf({ artifact }: Release): string {
  const address = artifactAddress(artifact, false);
  return (!isLeft(address) && address.right.scheme === 'oci' ? address.right.tag : undefined) ?? 'latest';
}

const digestOf = ({ bytes }: RegistryDocument) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function known(document: RegistryDocument, digest: string): Either<Refusal, ImageDocument | IndexDocument> {
  if (digestOf(document) !== digest) return left(unverified('its manifest is not the one that was asked for'));
  const read = readDocument(document.bytes, document.contentType);
  return isLeft(read) ? left(unverified(read.left)) : read;
}

function choose({ images }: IndexDocument, { os, arch }: Release): Either<Refusal, string> {
  const [only, second] = images.filter((image) => image.os === os && image.arch === arch);
  if (only === undefined) return left(unverified('its index has no image for the platform of this server'));
  if (second !== undefined)
    return left(unverified('its index has more than one image for the platform of this server'));
  return right(only.digest);
}
