/** Manifests, indexes and configs of OCI images (and Docker's of the same shape), read strictly as far as a package needs them. */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { parseStrict } from '../../contract/strict-json.js';

export const IMAGE_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
export const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const CONFIG_TYPES = ['application/vnd.oci.image.config.v1+json', 'application/vnd.docker.container.image.v1+json'];
const LAYER_TYPES: Readonly<Record<string, 'none' | 'gzip'>> = {
  'application/vnd.oci.image.layer.v1.tar': 'none',
  'application/vnd.oci.image.layer.v1.tar+gzip': 'gzip',
  'application/vnd.docker.image.rootfs.diff.tar': 'none',
  'application/vnd.docker.image.rootfs.diff.tar.gzip': 'gzip',
};
/** What a document says it is, where it says so (15, "Package format"); an image of another tool says nothing. */
const PACKAGE_TYPE = 'application/vnd.localai.addon.package.v1';
const PACKAGE_INDEX_TYPE = 'application/vnd.localai.addon.package.index.v1';

export const MAX_DOCUMENT_BYTES = 4 * 1_048_576;
export const MAX_LAYERS = 128;

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}
export interface Layer extends Descriptor {
  readonly compression: 'none' | 'gzip';
}
export interface ImageDocument {
  readonly kind: 'image';
  readonly config: Descriptor;
  readonly layers: readonly Layer[];
}
export interface IndexDocument {
  readonly kind: 'index';
  readonly images: readonly (Descriptor & { readonly os: string; readonly arch: string })[];
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What the bytes of a manifest are. `contentType` is what the registry said of them: a document that says otherwise of itself, or
 * that could be read as both a manifest and an index, is refused. Left: words that quote nothing of it.
 */
export function readDocument(bytes: Uint8Array, contentType: string): Either<string, ImageDocument | IndexDocument> {
  const parsed = parseStrict(bytes, { maxBytes: MAX_DOCUMENT_BYTES });
  if (isLeft(parsed) || !isObject(parsed.right)) return left('its manifest is not a JSON object');
  const document = parsed.right;
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (document.schemaVersion !== 2) return left('its manifest is of a version that this server does not read');
  if (document.mediaType !== undefined && document.mediaType !== type)
    return left('its manifest is not of the type that the registry says');
  if (document.layers !== undefined && document.manifests !== undefined)
    return left('its manifest could be read as two different things');
  if (IMAGE_TYPES.includes(type)) return readImage(document);
  if (INDEX_TYPES.includes(type)) return readIndex(document);
  return left('its manifest is of a type that this server does not read');
}

function readImage(document: JsonObject): Either<string, ImageDocument> {
  if (document.artifactType !== undefined && document.artifactType !== PACKAGE_TYPE)
    return left('it is an artifact of another kind');
  const config = readDescriptor(document.config);
  if (config === undefined) return left('its manifest names no config');
  if (!CONFIG_TYPES.includes(config.mediaType)) return left('its config is not that of an image');
  if (!Array.isArray(document.layers) || document.layers.length > MAX_LAYERS)
    return left(`its manifest has no list of at most ${MAX_LAYERS} layers`);
  const layers: Layer[] = [];
  for (const item of document.layers as readonly Json[]) {
    const layer = readDescriptor(item);
    if (layer === undefined) return left('its manifest has a layer that is malformed');
    const compression = Object.hasOwn(LAYER_TYPES, layer.mediaType) ? LAYER_TYPES[layer.mediaType] : undefined;
    if (compression === undefined) return left('it has a layer of a type that is not allowed');
    layers.push({ ...layer, compression });
  }
  return right({ kind: 'image', config, layers });
}

function readIndex(document: JsonObject): Either<string, IndexDocument> {
  if (document.artifactType !== undefined && document.artifactType !== PACKAGE_INDEX_TYPE)
    return left('it is an index of another kind');
  if (!Array.isArray(document.manifests)) return left('its index lists nothing');
  const images: (Descriptor & { os: string; arch: string })[] = [];
  for (const item of document.manifests as readonly Json[]) {
    const image = readDescriptor(item);
    if (image === undefined) return left('its index has an entry that is malformed');
    const platform = isObject(item) && isObject(item.platform) ? item.platform : {};
    const { os, architecture } = platform;
    if (typeof os === 'string' && typeof architecture === 'string') images.push({ ...image, os, arch: architecture });
  }
  return right({ kind: 'index', images });
}

function readDescriptor(value: Json | undefined): Descriptor | undefined {
  if (!isObject(value)) return undefined;
  const { mediaType, digest, size } = value;
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || typeof size !== 'number') return undefined;
  if (!/^sha256:[0-9a-f]{64}$/.test(digest) || !Number.isSafeInteger(size) || size < 0) return undefined;
  return { mediaType, digest, size };
}

/** The platform an image config is for. Left when it says none. */
export function readConfig(bytes: Uint8Array): Either<string, { readonly os: string; readonly arch: string }> {
  const parsed = parseStrict(bytes, { maxBytes: MAX_DOCUMENT_BYTES });
  if (isLeft(parsed) || !isObject(parsed.right)) return left('its config is not a JSON object');
  const { os, architecture } = parsed.right;
  if (typeof os !== 'string' || typeof architecture !== 'string') return left('its config names no platform');
  return right({ os, arch: architecture });
}
