/** Reads what a tag of the repository names: the index of a package and what it says about itself. */
import { createHash } from 'node:crypto';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { parseStrict } from '../../contract/strict-json.js';
import { IndexDocument, MAX_DOCUMENT_BYTES, MEDIA, NOTE, PACKAGE_INDEX_TYPE } from '../layout/formats.js';
import { Registry, type RegistryAccess } from '../oci/registry.js';

export interface PublishedIndex {
  readonly digest: string;
  readonly bytes: Uint8Array;
  readonly id: string;
  readonly version: string;
  readonly revision?: string;
}

/** Undefined when the tag is free, which only a 404 says. Left: the registry failed, or the tag names no index of a package. */
export async function readPublished(
  access: RegistryAccess,
  reference: string,
): Promise<Either<string, PublishedIndex | undefined>> {
  const found = await new Registry(access).document(reference);
  if (isLeft(found)) return found.left.absent ? right(undefined) : left(found.left.message);
  const { bytes, contentType } = found.right;
  const other = left(`${reference} names something that is no index of a package`);
  const parsed = parseStrict(bytes, { maxBytes: MAX_DOCUMENT_BYTES });
  if (isLeft(parsed) || contentType.split(';')[0]?.trim() !== MEDIA.index) return other;
  const document = IndexDocument.decode(parsed.right);
  if (isLeft(document) || document.right.artifactType !== PACKAGE_INDEX_TYPE) return other;
  const { annotations } = document.right;
  const [id, version, revision] = [annotations[NOTE.id], annotations[NOTE.version], annotations[NOTE.revision]];
  if (id === undefined || version === undefined)
    return left(`${reference} names an index that does not say what it is`);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return right({ digest, bytes, id, version, ...(revision === undefined ? {} : { revision }) });
}
