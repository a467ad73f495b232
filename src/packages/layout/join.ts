/** Joins the layouts of one version for several platforms into one layout with an image index (15:30,149). */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { jsonBytes, prepareBlobs, writeJsonBlob, writeSynced } from './blobs.js';
import { annotationsOf, type IndexDocument, MEDIA, PACKAGE_INDEX_TYPE } from './formats.js';
import { publishLayout, writeTop } from './image-build.js';
import type { VerifiedImage } from './image-verify.js';
import { type Expected, receiptOf, type VerifiedLayout, verifyLayout } from './layout-verify.js';

interface Part {
  readonly layout: string;
  readonly verified: VerifiedLayout;
}

/**
 * Verifies every layout of `parts` and writes one with all their images to `out`. Left: what is wrong with one of them, that they
 * are not of one version and commit of one add-on, or that their platforms are not exactly `expected.platforms`.
 */
export async function joinLayouts(
  parts: readonly string[],
  out: string,
  expected: Expected = {},
): Promise<Either<string, VerifiedLayout>> {
  const { platforms: _platforms, ...ofEach } = expected;
  const read: Part[] = [];
  for (const layout of parts) {
    const verified = await verifyLayout(layout, ofEach);
    if (isLeft(verified)) return left(`${layout} is refused: ${verified.left}`);
    read.push({ layout, verified: verified.right });
  }
  const images = read.flatMap(({ verified }) => verified.images).sort((a, b) => (a.platform < b.platform ? -1 : 1));
  const [first] = read;
  if (first === undefined) return left('there is no layout to join');
  return publishLayout(out, (temporary) => fill(temporary, read, images, first.verified), expected);
}

async function fill(
  layout: string,
  parts: readonly Part[],
  images: readonly VerifiedImage[],
  { id, version, revision }: VerifiedLayout,
): Promise<Either<string, void>> {
  await mkdir(layout, { recursive: true });
  await prepareBlobs(layout);
  for (const { layout: from, verified } of parts)
    for (const { blob, blobs } of verified.images)
      for (const { digest } of [blob, ...blobs]) {
        const path = join('blobs/sha256', digest.slice('sha256:'.length));
        await copyFile(join(from, path), join(layout, path));
      }
  const document: IndexDocument = {
    schemaVersion: 2,
    mediaType: MEDIA.index,
    artifactType: PACKAGE_INDEX_TYPE,
    manifests: images.map(({ blob }) => blob),
    annotations: annotationsOf({ id, version, revision }),
  };
  const written = await writeJsonBlob(layout, MEDIA.index, document);
  await writeTop(layout, { ...written, artifactType: PACKAGE_INDEX_TYPE });
  const of = { id, version, images, ...(revision === undefined ? {} : { revision }) };
  await writeSynced(join(layout, 'receipt.json'), jsonBytes(receiptOf(of, written.digest)));
  return right(undefined);
}
