/** The icon of a package: a small image whose first bytes are of the type its name declares (06:150-155). */
import type { PackageReceipt } from '../commands/ports.js';
import { type Either, left, right } from '../contract/fp.js';
import type { Manifest } from '../contract/manifest-types.js';
import { openFile } from './beneath.js';
import { iconType } from './package-path.js';
import type { PackageFile } from './stage-writer.js';

export const MAX_ICON_BYTES = 262_144;

type Icon = NonNullable<PackageReceipt['icon']>;

/** Whether `bytes` start with the signature of `mediaType`. */
export function hasSignature(bytes: Uint8Array, mediaType: string): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (mediaType === 'image/png') return head.startsWith('\x89PNG\r\n\x1a\n');
  if (mediaType === 'image/jpeg') return head.startsWith('\xff\xd8\xff');
  return mediaType === 'image/webp' && head.startsWith('RIFF') && head.slice(8) === 'WEBP';
}

/** Why a file may not be the icon, or undefined when it may: its name, its size, its first bytes. */
export function iconProblem(path: string, bytes: Uint8Array, size = bytes.length): string | undefined {
  const mediaType = iconType(path);
  if (mediaType === undefined) return 'its icon does not have the name of an image';
  if (size < 1 || size > MAX_ICON_BYTES) return 'its icon is not between 1 byte and 256 KiB';
  return hasSignature(bytes, mediaType) ? undefined : 'its icon is not an image of the type its name declares';
}

/** What the receipt says of the icon; undefined when the manifest declares none. Left: why the package is refused. */
export async function checkIcon(
  stage: number,
  manifest: Manifest,
  files: readonly PackageFile[],
): Promise<Either<string, Icon | undefined>> {
  const path = manifest.capabilities.ui?.icon;
  if (path === undefined) return right(undefined);
  const file = files.find((candidate) => candidate.path === path);
  const mediaType = iconType(path);
  if (file === undefined || mediaType === undefined) return left('the icon its manifest declares is not in it');
  const handle = await openFile(stage, path);
  try {
    const head = Buffer.alloc(12);
    const { bytesRead } = await handle.read(head, 0, 12, 0);
    const problem = iconProblem(path, head.subarray(0, bytesRead), file.size);
    if (problem !== undefined) return left(problem);
  } finally {
    await handle.close();
  }
  return right({ path, sha256: file.sha256, size: file.size, mediaType });
}
