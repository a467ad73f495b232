/**
 * Where the signatures of an image are: the list of what refers to it (OCI 1.1), or, where the registry has no such list, the index under
 * the tag `sha256-<hex>`. A 404 is the only answer that leads there; every other one is an error, never "no signature".
 */
import { createHash } from 'node:crypto';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { parseStrict } from '../../contract/strict-json.js';
import { type Descriptor, IMAGE_TYPES, INDEX_TYPES, MAX_DOCUMENT_BYTES } from '../oci/documents.js';
import type { Registry, RegistryDocument, RegistryFailure } from '../oci/registry.js';
import { MAX_BUNDLE_BYTES } from './bundle.js';

const IMAGE = IMAGE_TYPES[0] ?? '';
const INDEX = INDEX_TYPES[0] ?? '';
/** Followed by a version and `+json`. */
const BUNDLE = 'application/vnd.dev.sigstore.bundle.';
const MAX_PAGES = 8;

const failed = (message: string): Either<RegistryFailure, never> => left({ absent: false, message });
const odd = failed('its registry answers the question for signatures with something else');

/** What names a bundle: the digest of a manifest that refers to the image. Each once, in the order of the list; possibly none. */
export async function listBundles(
  registry: Registry,
  digest: string,
): Promise<Either<RegistryFailure, readonly string[]>> {
  const found = new Set<string>();
  let path: string | undefined = `referrers/${digest}`;
  for (let page = 0; path !== undefined; page += 1) {
    if (page === MAX_PAGES) return failed('its registry lists more for it than this server reads');
    const answer: Either<RegistryFailure, RegistryDocument> = await registry.smallDocument(path, INDEX);
    if (isLeft(answer)) return page === 0 && answer.left.absent ? listByTag(registry, digest) : answer;
    const listed = readList(answer.right);
    if (isLeft(listed)) return listed;
    for (const one of listed.right) found.add(one);
    const next = nextPage(answer.right.link, digest);
    if (isLeft(next)) return next;
    path = next.right;
  }
  return right([...found]);
}

async function listByTag(registry: Registry, digest: string): Promise<Either<RegistryFailure, readonly string[]>> {
  const answer = await registry.smallDocument(`manifests/${digest.replace(':', '-')}`, INDEX);
  if (isLeft(answer)) return answer.left.absent ? right([]) : answer;
  const listed = readList(answer.right);
  return isLeft(listed) ? listed : right([...new Set(listed.right)]);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const typeOf = (contentType: string) => contentType.split(';')[0]?.trim().toLowerCase() ?? '';
const isBundle = (type: Json | undefined): boolean => typeof type === 'string' && type.startsWith(BUNDLE);

function readList({ bytes, contentType }: RegistryDocument): Either<RegistryFailure, readonly string[]> {
  if (typeOf(contentType) !== INDEX) return odd;
  const parsed = parseStrict(bytes, { maxBytes: MAX_DOCUMENT_BYTES });
  if (isLeft(parsed) || !isObject(parsed.right)) return odd;
  const { schemaVersion, mediaType = INDEX, manifests } = parsed.right;
  if (schemaVersion !== 2 || mediaType !== INDEX || !Array.isArray(manifests)) return odd;
  const found: string[] = [];
  for (const item of manifests as readonly Json[]) {
    // A registry may ignore a filter it was sent, and other kinds of referrers are none of our business.
    if (!isObject(item) || !isBundle(item.artifactType)) continue;
    const named = descriptor(item);
    if (named === undefined || named.mediaType !== IMAGE) return odd;
    found.push(named.digest);
  }
  return right(found);
}

function descriptor(value: Json | undefined): Descriptor | undefined {
  if (!isObject(value)) return undefined;
  const { mediaType, digest, size } = value;
  const valid =
    typeof mediaType === 'string' &&
    typeof digest === 'string' &&
    /^sha256:[0-9a-f]{64}$/.test(digest) &&
    Number.isSafeInteger(size) &&
    Number(size) >= 0;
  return valid ? { mediaType, digest, size: Number(size) } : undefined;
}

/** The path of the next page below the repository; only a further part of the same list is one. */
function nextPage(link: string | undefined, digest: string): Either<RegistryFailure, string | undefined> {
  if (link === undefined) return right(undefined);
  const match = /^<([^<>]{1,2048})>\s*;\s*rel="?next"?$/.exec(link.trim());
  const list = `referrers/${digest}`;
  const at = match?.[1]?.lastIndexOf(`${list}?`) ?? -1;
  const query = at < 0 ? undefined : match?.[1]?.slice(at + list.length);
  return query === undefined || query.includes('#') ? odd : right(`${list}${query}`);
}

/**
 * The bytes of the bundle that a listed manifest holds. Left with `absent`, or with `bad`: this one is not to be had or not what it was
 * listed as, and another may still be good; anything else ends the search.
 */
export async function fetchBundle(
  registry: Registry,
  listed: string,
  digest: string,
): Promise<Either<RegistryFailure & { readonly bad?: true }, Uint8Array>> {
  const answer = await registry.smallDocument(`manifests/${listed}`, IMAGE);
  if (isLeft(answer)) return answer;
  const layer = layerOf(answer.right, listed, digest);
  if (isLeft(layer)) return left({ absent: false, bad: true, message: layer.left });
  const bytes = await registry.smallBlob(layer.right.digest, layer.right.size);
  if (isLeft(bytes)) return bytes;
  return digestOf(bytes.right) === layer.right.digest
    ? bytes
    : left({ absent: false, bad: true, message: 'it is not the one its manifest names' });
}

const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function layerOf({ bytes, contentType }: RegistryDocument, listed: string, digest: string): Either<string, Descriptor> {
  if (digestOf(bytes) !== listed) return left('it is not the one that was asked for');
  const parsed = parseStrict(bytes, { maxBytes: MAX_DOCUMENT_BYTES });
  if (isLeft(parsed) || !isObject(parsed.right) || typeOf(contentType) !== IMAGE)
    return left('its manifest is malformed');
  const { schemaVersion, mediaType = IMAGE, artifactType, subject, layers } = parsed.right;
  if (schemaVersion !== 2 || mediaType !== IMAGE || !isBundle(artifactType))
    return left('its manifest is of another kind');
  if (descriptor(subject)?.digest !== digest) return left('it was attached to another package');
  const [layer, second] = (Array.isArray(layers) ? (layers as readonly Json[]) : []).map(descriptor);
  if (
    layer === undefined ||
    second !== undefined ||
    (layers as readonly Json[]).length !== 1 ||
    !isBundle(layer.mediaType)
  )
    return left('its manifest does not hold exactly one bundle');
  return layer.size <= MAX_BUNDLE_BYTES ? right(layer) : left('it is larger than 256 KiB');
}
