/** Verifies a whole OCI layout of one image or of an index of images, before anything of it is used (15:32-44). */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Either, left, right } from '../../contract/fp.js';
import { LayoutProblem, readBlob, readLayoutFile } from './blobs.js';
import {
  annotationsOf,
  type ImageBlob,
  type IndexBlob,
  IndexDocument,
  LayoutDocument,
  MAX_DOCUMENT_BYTES,
  MEDIA,
  NOTE,
  PACKAGE_INDEX_TYPE,
  ReceiptDocument,
} from './formats.js';
import { decode, type VerifiedImage, verifyImage } from './image-verify.js';

export interface Expected {
  readonly id?: string;
  readonly version?: string;
  /** `linux/amd64`; all of them, in any order. */
  readonly platforms?: readonly string[];
  /** The runtime files of each image beside its entrypoint. */
  readonly runtime?: readonly string[];
}

export interface VerifiedLayout {
  readonly id: string;
  readonly version: string;
  readonly revision?: string;
  /** In the order of their platforms. */
  readonly images: readonly VerifiedImage[];
  /** Only when the layout joins images. */
  readonly index?: { readonly blob: IndexBlob; readonly bytes: Buffer };
}

/** Left: the first thing that is wrong, as part of a sentence. Nothing is written. */
export async function verifyLayout(layout: string, expected: Expected = {}): Promise<Either<string, VerifiedLayout>> {
  try {
    return right(await verify(layout, expected));
  } catch (error) {
    if (error instanceof LayoutProblem) return left(error.message);
    throw error;
  }
}

async function verify(layout: string, expected: Expected): Promise<VerifiedLayout> {
  const mark = await readLayoutFile(layout, 'oci-layout', 1024);
  if (mark.toString('utf8') !== OCI_LAYOUT) throw new LayoutProblem('oci-layout does not say version 1.0.0');
  const top = decode(LayoutDocument, await readLayoutFile(layout, 'index.json', MAX_DOCUMENT_BYTES), 'index.json');
  const [only] = top.manifests;
  if (only === undefined || top.manifests.length > 1)
    throw new LayoutProblem('index.json must name one image or one index');
  const index = 'platform' in only ? undefined : await readIndex(layout, only);
  const blobs = index === undefined ? [only as ImageBlob] : index.document.manifests;
  const images: VerifiedImage[] = [];
  for (const blob of blobs) images.push(await verifyImage(layout, blob, expected.runtime));
  const verified = agree(images, index?.document);
  await checkReceipt(layout, verified, index?.blob);
  await checkBlobs(layout, images, index?.blob);
  checkExpected(verified, expected);
  return { ...verified, ...(index === undefined ? {} : { index: { blob: index.blob, bytes: index.bytes } }) };
}

export const OCI_LAYOUT = '{"imageLayoutVersion":"1.0.0"}';

async function readIndex(layout: string, blob: IndexBlob) {
  if (blob.mediaType !== MEDIA.index) throw new LayoutProblem('its index has another media type');
  const bytes = await readBlob(layout, blob, MAX_DOCUMENT_BYTES, 'the package index');
  const document = decode(IndexDocument, bytes, 'the package index');
  for (const type of [blob.artifactType, document.artifactType])
    if (type !== PACKAGE_INDEX_TYPE) throw new LayoutProblem(`its artifact type is not ${PACKAGE_INDEX_TYPE}`);
  if (document.manifests.length === 0) throw new LayoutProblem('its index lists no image');
  return { blob, bytes, document };
}

/** All images are one version of one add-on, each for a platform of its own, and the index says so too. */
function agree(images: readonly VerifiedImage[], index: IndexDocument | undefined): VerifiedLayout {
  const [first] = images;
  if (first === undefined) throw new LayoutProblem('it has no image');
  const { id, version } = first.manifest;
  const { revision } = first;
  for (const { manifest, revision: other } of images)
    if (manifest.id !== id || manifest.version !== version || other !== revision)
      throw new LayoutProblem('its images are not of one version of one add-on');
  const platforms = images.map(({ platform }) => platform);
  if (platforms.some((platform, at) => at > 0 && (platforms[at - 1] ?? '') >= platform))
    throw new LayoutProblem('its images must have different platforms, in order');
  if (index !== undefined) {
    const expected = annotationsOf({ id, version, revision });
    const keys = new Set([...Object.keys(expected), NOTE.revision]);
    for (const key of keys)
      if (index.annotations[key] !== expected[key])
        throw new LayoutProblem(`the annotation ${key} of the index does not say what its images say`);
  }
  return { id, version, images, ...(revision === undefined ? {} : { revision }) };
}

/** The receipt of a layout that holds `images`; what a build writes and what verification expects. */
export function receiptOf(of: Omit<VerifiedLayout, 'index'>, indexDigest?: string): ReceiptDocument {
  return {
    schemaVersion: 1,
    id: of.id,
    version: of.version,
    ...(of.revision === undefined ? {} : { revision: of.revision }),
    ...(indexDigest === undefined ? {} : { index: indexDigest }),
    images: of.images.map(({ platform, blob, document }) => ({
      platform,
      manifest: blob.digest,
      config: document.config.digest,
      layers: document.layers.map(({ annotations, digest, size }) => ({
        role: annotations[NOTE.layer] as ReceiptDocument['images'][number]['layers'][number]['role'],
        digest,
        size,
      })),
    })),
  };
}

async function checkReceipt(layout: string, verified: VerifiedLayout, index: IndexBlob | undefined): Promise<void> {
  const bytes = await readLayoutFile(layout, 'receipt.json', MAX_DOCUMENT_BYTES);
  const receipt = decode(ReceiptDocument, bytes, 'receipt.json');
  const expected = receiptOf(verified, index?.digest);
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  if (receipt.version !== expected.version) throw new LayoutProblem('receipt.json names another version');
  if (
    !same(
      receipt.images.map(({ platform }) => platform),
      expected.images.map(({ platform }) => platform),
    )
  )
    throw new LayoutProblem('receipt.json names another platform');
  const plain = (value: ReceiptDocument) => [value.id, value.revision, value.index, value.images.map(flat)];
  if (!same(plain(receipt), plain(expected))) throw new LayoutProblem('receipt.json does not list what is there');
}

const flat = ({ platform, manifest, config, layers }: ReceiptDocument['images'][number]) => [
  platform,
  manifest,
  config,
  layers.map(({ role, digest, size }) => [role, digest, size]),
];

/** A blob that nothing refers to would be carried along without ever having been looked at. */
async function checkBlobs(layout: string, images: readonly VerifiedImage[], index: IndexBlob | undefined) {
  const known = new Set(
    [...images.flatMap(({ blob, blobs }) => [blob, ...blobs]), ...(index === undefined ? [] : [index])].map(
      ({ digest }) => digest.slice('sha256:'.length),
    ),
  );
  const there = await readdir(join(layout, 'blobs/sha256'));
  if (there.some((name) => !known.has(name))) throw new LayoutProblem('it holds a blob that nothing refers to');
}

function checkExpected(verified: VerifiedLayout, { id, version, platforms }: Expected): void {
  if (id !== undefined && verified.id !== id) throw new LayoutProblem(`it is of ${verified.id}, not of ${id}`);
  if (version !== undefined && verified.version !== version)
    throw new LayoutProblem(`it is version ${verified.version}, not ${version}`);
  const found = verified.images.map(({ platform }) => platform);
  if (platforms !== undefined && [...platforms].sort().join() !== found.join())
    throw new LayoutProblem(`it is for ${found.join(', ')}, not for ${[...platforms].sort().join(', ')}`);
}
