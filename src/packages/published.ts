/** What can be asked of a published package: its receipt, whether its files are still the verified ones, its icon (06:150-155,178-180). */
import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { PackageReceipt } from '../commands/ports.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { DEFAULT_LIMITS } from '../contract/limits.js';
import { inside, openDirectory, openFile } from './beneath.js';
import { hasSignature, MAX_ICON_BYTES } from './icon-check.js';
import { assetsOf, readManifest } from './manifest-check.js';
import { decodeReceipt, MAX_RECEIPT_BYTES } from './receipt.js';
import { type PackageFile, RECEIPT } from './stage-writer.js';

/** Large enough for full speed, small enough that one piece does not hold the loop (4 ms). */
const READ_BYTES = 1_048_576;

/** A folder name that `publish` may have made; anything else never reaches the file system. */
export const isPackageName = (name: string): boolean =>
  /^[a-z][A-Za-z0-9.-]{0,255}$/.test(name) && !name.includes('..');

/** Opens the package `name` of the open packages folder while `use` runs. Left: words for an administrator. */
export async function withPackage<A>(
  root: number,
  name: string,
  use: (fd: number) => Promise<Either<string, A>>,
): Promise<Either<string, A>> {
  if (!isPackageName(name)) return left('that is not the name of a package');
  let fd: number | undefined;
  try {
    fd = openDirectory(inside(root, name));
    return await use(fd);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return left(
      code === 'ENOENT' ? 'a file of the package is missing' : `a file of the package cannot be read (${code})`,
    );
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export async function readReceipt(fd: number): Promise<Either<string, PackageReceipt>> {
  const bytes = await withFile(fd, RECEIPT, async (file) =>
    (await file.stat()).size > MAX_RECEIPT_BYTES ? undefined : await file.readFile(),
  );
  return bytes === undefined ? left('its receipt is damaged') : decodeReceipt(bytes);
}

async function withFile<A>(fd: number, path: string, use: (file: FileHandle) => Promise<A>): Promise<A> {
  const file = await openFile(fd, path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/**
 * Hashes the executable and every file the manifest names, following no link. Left: which file changed. The
 * manifest is read from its bytes, whose digest the receipt holds, so a changed one cannot name other files.
 */
export async function verifyPackage(fd: number): Promise<Either<string, void>> {
  const receipt = await readReceipt(fd);
  if (isLeft(receipt)) return receipt;
  const files = new Map(receipt.right.files.map((file) => [file.path, file]));
  const manifestFile = files.get('manifest.json');
  if (manifestFile === undefined || receipt.right.manifestDigest !== `sha256:${manifestFile.sha256}`)
    return left('its receipt is damaged');
  // Also bounds what is read below: the size is compared before anything is hashed.
  if (manifestFile.size > DEFAULT_LIMITS.manifestBytes || (await changedFile(fd, manifestFile, false)))
    return left('the manifest changed since the package was verified');
  const bytes = await withFile(fd, 'manifest.json', (file) => file.readFile());
  const manifest = readManifest(bytes);
  if (isLeft(manifest)) return left(`its manifest is refused: ${manifest.left}`);
  for (const path of new Set([manifest.right.executable, ...assetsOf(manifest.right)])) {
    const changed = await changedFile(fd, files.get(path), path === manifest.right.executable);
    if (changed) return left(`the file ${path} changed since the package was verified`);
  }
  return right(undefined);
}

async function changedFile(fd: number, expected: PackageFile | undefined, executable: boolean): Promise<boolean> {
  if (expected === undefined) return true;
  return withFile(fd, expected.path, async (file) => {
    const stat = await file.stat();
    if (stat.size !== expected.size || (executable && (stat.mode & 0o100) === 0)) return true;
    return (await hashFile(file)) !== expected.sha256;
  });
}

async function hashFile(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

/** The icon's bytes while they are still those of the receipt (06:154-155). */
export async function readIcon(fd: number): Promise<Either<string, { bytes: Uint8Array; mediaType: string }>> {
  const receipt = await readReceipt(fd);
  if (isLeft(receipt)) return receipt;
  const icon = receipt.right.icon;
  if (icon === undefined) return left('it has no icon');
  const bytes = await withFile(fd, icon.path, async (file) =>
    (await file.stat()).size === icon.size && icon.size <= MAX_ICON_BYTES ? await file.readFile() : undefined,
  );
  const same = bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === icon.sha256;
  return same && hasSignature(bytes, icon.mediaType)
    ? right({ bytes, mediaType: icon.mediaType })
    : left('its icon changed since the package was verified');
}
