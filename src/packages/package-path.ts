/** Which names a package may hold: relative ASCII paths, taken as they are and never normalised (05:24-27; wire, "Packages"). */
import { isPackagePath } from '../contract/manifest/words.js';

/** Bytes of a whole path; the longest package folder and data path still leave room below the 4,096 of the kernel. */
export const MAX_PATH_BYTES = 512;
const MAX_SEGMENT_BYTES = 255;
const MAX_SEGMENTS = 32;

/**
 * Why `path` may not name a file of a package, or undefined when it may. Refuses absolute paths, a backslash, NUL and other
 * control characters, non-ASCII, empty and dot segments, and anything overlong.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'an empty name';
  if (path.length > MAX_PATH_BYTES) return 'a name that is too long';
  // One pass over the characters: a letter outside printable ASCII is refused before the name is shown or used anywhere.
  if (!/^[\x20-\x7e]*$/.test(path)) return 'a name with characters outside printable ASCII';
  if (path.includes('\\')) return 'a name with a backslash';
  if (path.startsWith('/')) return 'an absolute name';
  const segments = path.split('/');
  if (segments.length > MAX_SEGMENTS) return 'a name with too many folders';
  for (const segment of segments) {
    if (segment === '') return 'a name with an empty part';
    if (segment === '.' || segment === '..') return 'a name with a dot part';
    if (segment.length > MAX_SEGMENT_BYTES) return 'a name with a part that is too long';
  }
  return undefined;
}

const ICON_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
};

/** The media type that an icon's name declares, or undefined when it is no package path of an allowed image (05:50). */
export function iconType(path: string): string | undefined {
  if (!isPackagePath(path)) return undefined;
  return ICON_TYPES[/\.([a-z]+)$/.exec(path)?.[1] ?? ''];
}
