/** Puts the files of a verified layout into a folder, as an installer would see them (15:46-48). */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { DEFAULT_PACKAGE_LIMITS } from '../package-limits.js';
import type { TarEntry } from '../tar-reader.js';
import { LayoutProblem } from './blobs.js';
import type { VerifiedImage } from './image-verify.js';
import { LayerReader } from './layer-reader.js';
import { verifyLayout } from './layout-verify.js';

/**
 * Verifies `layout` and writes its files to the folder `out`, which must not exist. `platform` chooses an image of an index. The
 * entrypoint gets mode 0755 and everything else 0644, whatever the archive or the umask say. Left: what is wrong.
 */
export async function extractLayout(
  layout: string,
  out: string,
  platform?: string,
): Promise<Either<string, VerifiedImage>> {
  const verified = await verifyLayout(layout);
  if (isLeft(verified)) return verified;
  const { images } = verified.right;
  const image =
    platform === undefined && images.length === 1 ? images[0] : images.find((one) => one.platform === platform);
  if (image === undefined) {
    const platforms = images.map((one) => one.platform).join(', ');
    return left(
      platform === undefined ? `it has several platforms; choose one of ${platforms}` : `it is for ${platforms}`,
    );
  }
  const temporary = `${out}.part`;
  await rm(temporary, { recursive: true, force: true });
  try {
    await mkdir(temporary, { recursive: true });
    await writeFiles(layout, image, temporary);
    // Onto a folder with something in it a rename fails, so nothing is ever mixed.
    await rename(temporary, out);
    return right(image);
  } catch (error) {
    if (error instanceof LayoutProblem) return left(error.message);
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return left(`${out} is there already`);
    throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The blobs are read and hashed again, so that what is written is what was verified. */
async function writeFiles(layout: string, image: VerifiedImage, out: string): Promise<void> {
  const budget = { expandedBytes: DEFAULT_PACKAGE_LIMITS.expandedBytes, entries: DEFAULT_PACKAGE_LIMITS.entries };
  for (const [at, layer] of image.document.layers.entries()) {
    const reader = new LayerReader(layout, layer, `layer ${at + 1}`, budget);
    for await (const entry of reader.entries())
      await writeEntry(entry, join(out, entry.path), image.manifest.executable);
  }
}

async function writeEntry(entry: TarEntry, path: string, executable: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of entry.body) await file.writeFile(piece);
    await file.chmod(entry.path === executable ? 0o755 : 0o644);
  } finally {
    await file.close();
  }
}
