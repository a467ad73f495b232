/** OCI images built byte by byte, so that a test can break any rule of them; the defaults make a correct package. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { executable, manifestFile } from './package-store.js';
import { archive } from './tar.js';

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const INDEX = 'application/vnd.oci.image.index.v1+json';
export const CONFIG = 'application/vnd.oci.image.config.v1+json';
export const TAR = 'application/vnd.oci.image.layer.v1.tar';
export const GZIP = 'application/vnd.oci.image.layer.v1.tar+gzip';
export const PACKAGE = 'application/vnd.localai.addon.package.v1';
export const PACKAGE_INDEX = 'application/vnd.localai.addon.package.index.v1';

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export interface Blob {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly digest: string;
  readonly size: number;
}
export const blob = (mediaType: string, content: Uint8Array | string): Blob => {
  const bytes = Buffer.from(content as Uint8Array);
  return { mediaType, bytes, digest: digestOf(bytes), size: bytes.length };
};
export const descriptor = ({ mediaType, digest, size }: Blob) => ({ mediaType, digest, size });

export const gzipLayer = (...parts: Uint8Array[]): Blob => blob(GZIP, gzipSync(archive(...parts), { level: 1 }));
export const tarLayer = (...parts: Uint8Array[]): Blob => blob(TAR, archive(...parts));

export const config = (changes: object = {}): Blob =>
  blob(
    CONFIG,
    JSON.stringify({ os: 'linux', architecture: 'amd64', rootfs: { type: 'layers', diff_ids: [] }, ...changes }),
  );

export interface Image {
  readonly manifest: Blob;
  readonly blobs: readonly Blob[];
}

/** The two layers of a correct small package, the manifest last as the packaging tool lays them. */
export const sampleLayers = (): Blob[] => [gzipLayer(executable()), gzipLayer(manifestFile())];

/** An image of `layers`; `changes` replace fields of its manifest, and its config where it is a `Blob`. */
export function image(layers: readonly Blob[] = sampleLayers(), changes: object = {}, conf: Blob = config()): Image {
  const document = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    artifactType: PACKAGE,
    config: descriptor(conf),
    layers: layers.map(descriptor),
    ...changes,
  };
  const { mediaType } = document as { mediaType?: string };
  return { manifest: blob(mediaType ?? MANIFEST, JSON.stringify(document)), blobs: [conf, ...layers] };
}

/** An index of images with a platform each; `changes` replace its fields. */
export function index(entries: readonly { image: Blob; platform?: object }[], changes: object = {}): Blob {
  const manifests = entries.map((entry) => ({
    ...descriptor(entry.image),
    ...(entry.platform ? { platform: entry.platform } : {}),
  }));
  return blob(
    INDEX,
    JSON.stringify({ schemaVersion: 2, mediaType: INDEX, artifactType: PACKAGE_INDEX, manifests, ...changes }),
  );
}
export const AMD64 = { os: 'linux', architecture: 'amd64' };
export const ARM64 = { os: 'linux', architecture: 'arm64' };
