/** The documents of an OCI layout that holds add-on packages: their media types, annotations and exact shapes (15:20-31). */
import { closed, t } from '../../contract/fp.js';

export const PACKAGE_TYPE = 'application/vnd.localai.addon.package.v1';
export const PACKAGE_INDEX_TYPE = 'application/vnd.localai.addon.package.index.v1';
export const MEDIA = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

export const NOTE = {
  id: 'io.localai.addon.id',
  version: 'io.localai.addon.version',
  platform: 'io.localai.addon.platform',
  /** On a layer: what it is for. The chapter names the roles and no key for them. */
  layer: 'io.localai.addon.layer',
  imageVersion: 'org.opencontainers.image.version',
  revision: 'org.opencontainers.image.revision',
} as const;

/** In the order of the layers; `ui` and `skills` only where the manifest declares them. */
export const ROLES = ['executable', 'ui', 'skills', 'manifest'] as const;
export type Role = (typeof ROLES)[number];

/** Documents are small; a larger one is not ours. */
export const MAX_DOCUMENT_BYTES = 1_048_576;

const digest = new t.Type<string>(
  'digest of sha256: and 64 lower-case hex digits',
  (input): input is string => typeof input === 'string' && /^sha256:[0-9a-f]{64}$/.test(input),
  (input, context) =>
    typeof input === 'string' && /^sha256:[0-9a-f]{64}$/.test(input) ? t.success(input) : t.failure(input, context),
  (value) => value,
);
const size = new t.Type<number>(
  'number of bytes',
  (input): input is number => Number.isSafeInteger(input) && Number(input) >= 0,
  (input, context) =>
    Number.isSafeInteger(input) && Number(input) >= 0 ? t.success(Number(input)) : t.failure(input, context),
  (value) => value,
);
const notes = t.record(t.string, t.string);
const platform = closed('platform', { os: t.string, architecture: t.string });
const PLAIN = { mediaType: t.string, digest, size };

export const Blob = closed('descriptor', PLAIN);
export const LayerBlob = closed('layer', { ...PLAIN, annotations: closed('annotations', { [NOTE.layer]: t.string }) });
export const ImageBlob = closed('image', { ...PLAIN, artifactType: t.string, platform });
export const IndexBlob = closed('index', { ...PLAIN, artifactType: t.string });
export type Blob = t.TypeOf<typeof Blob>;
export type ImageBlob = t.TypeOf<typeof ImageBlob>;
export type IndexBlob = t.TypeOf<typeof IndexBlob>;
export type LayerBlob = t.TypeOf<typeof LayerBlob>;

export const ImageDocument = closed('image manifest', {
  schemaVersion: t.literal(2),
  mediaType: t.literal(MEDIA.manifest),
  artifactType: t.string,
  config: Blob,
  layers: t.readonlyArray(LayerBlob),
  annotations: notes,
});
export type ImageDocument = t.TypeOf<typeof ImageDocument>;

/** No history and no time: both would make two builds of one content differ (15:26). */
export const ConfigDocument = closed('image config', {
  architecture: t.string,
  os: t.string,
  rootfs: closed('rootfs', { type: t.literal('layers'), diff_ids: t.readonlyArray(digest) }),
});

export const IndexDocument = closed('package index', {
  schemaVersion: t.literal(2),
  mediaType: t.literal(MEDIA.index),
  artifactType: t.string,
  manifests: t.readonlyArray(ImageBlob),
  annotations: notes,
});
export type IndexDocument = t.TypeOf<typeof IndexDocument>;

/** `index.json` of a layout: exactly one thing, an image or an index of images. */
export const LayoutDocument = closed('index.json', {
  schemaVersion: t.literal(2),
  mediaType: t.literal(MEDIA.index),
  manifests: t.readonlyArray(t.union([ImageBlob, IndexBlob])),
});

const layerOfReceipt = closed('layer', {
  role: t.keyof({ executable: null, ui: null, skills: null, manifest: null }),
  digest,
  size,
});
const imageOfReceipt = closed('image', {
  platform: t.string,
  manifest: digest,
  config: digest,
  layers: t.readonlyArray(layerOfReceipt),
});

/** `receipt.json` of a layout: what a build says it made, for whoever carries it on. */
export const ReceiptDocument = closed(
  'receipt',
  { schemaVersion: t.literal(1), id: t.string, version: t.string, images: t.readonlyArray(imageOfReceipt) },
  { revision: t.string, index: digest },
);
export type ReceiptDocument = t.TypeOf<typeof ReceiptDocument>;

export const platformOf = (os: string, arch: string): string => `${os}/${arch}`;

/** The annotations of an image, or of an index when it has no platform (15:25,30). */
export function annotationsOf(of: {
  readonly id: string;
  readonly version: string;
  readonly platform?: string | undefined;
  readonly revision?: string | undefined;
}): Readonly<Record<string, string>> {
  return {
    [NOTE.id]: of.id,
    ...(of.platform === undefined ? {} : { [NOTE.platform]: of.platform }),
    [NOTE.version]: of.version,
    ...(of.revision === undefined ? {} : { [NOTE.revision]: of.revision }),
    [NOTE.imageVersion]: of.version,
  };
}

/** A full commit name of SHA-1 or SHA-256. */
export const isRevision = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** The parts of `linux/amd64`, or undefined. */
export function platformParts(text: string): { readonly os: string; readonly arch: string } | undefined {
  const match = /^([a-z0-9][a-z0-9_]{0,31})\/([a-z0-9][a-z0-9_]{0,31})$/.exec(text);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { os: match[1], arch: match[2] };
}
