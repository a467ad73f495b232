/** One 512-byte header of a tar archive, read strictly: what two readers could understand differently is refused. */

export const BLOCK = 512;

export type TarKind = 'file' | 'directory' | 'pax' | 'pax-global' | 'gnu-long-name';

export interface TarHeader {
  readonly kind: TarKind;
  /** As it stands, with the prefix in front; a directory keeps its closing slash. */
  readonly name: string;
  readonly size: number;
  /** The twelve permission bits as they stand; an installer looks at one of them only (15:46-48). */
  readonly mode: number;
  readonly executable: boolean;
}

/** What is wrong with an archive, in words that quote nothing of it. */
export class ArchiveProblem extends Error {}

const KINDS: Readonly<Record<string, TarKind>> = {
  '0': 'file',
  '\0': 'file',
  '5': 'directory',
  x: 'pax',
  g: 'pax-global',
  L: 'gnu-long-name',
};
const REFUSED_KINDS: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a named pipe',
  '7': 'a contiguous file',
  K: 'a link name',
  S: 'a sparse file',
  M: 'a part of a file of another archive',
  D: 'an incremental folder list',
  V: 'a volume label',
};

const ZEROS = Buffer.alloc(65_536);

/** Compares with a block of zeros: a loop over the bytes would be twenty times slower on half a gigabyte of padding. */
export function isZero(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += ZEROS.length) {
    const piece = bytes.subarray(at, at + ZEROS.length);
    if (ZEROS.compare(piece, 0, piece.length, 0, piece.length) !== 0) return false;
  }
  return true;
}

/** Decodes one header that is not all zeros. Throws `ArchiveProblem` for anything but a plain ustar or GNU header of a known kind. */
export function decodeHeader(block: Buffer): TarHeader {
  const magic = block.toString('latin1', 257, 265);
  const ustar = magic === 'ustar\u000000';
  if (!ustar && magic !== 'ustar  \0') throw new ArchiveProblem('it is not a tar archive of the ustar or GNU kind');
  if (octal(block, 148, 8) !== checksum(block)) throw new ArchiveProblem('a header has a wrong checksum');
  const flag = block.toString('latin1', 156, 157);
  const kind = KINDS[flag];
  if (kind === undefined) throw new ArchiveProblem(`it holds ${REFUSED_KINDS[flag] ?? 'an entry of an unknown kind'}`);
  // In the GNU kind these bytes hold times and sparse maps, never a prefix.
  const prefix = ustar ? string(block, 345, 155) : '';
  const name = string(block, 0, 100);
  const mode = octal(block, 100, 8) & 0o7777;
  return {
    kind,
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: octal(block, 124, 12),
    mode,
    executable: (mode & 0o100) !== 0,
  };
}

/** With the checksum's own bytes taken as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
}

function string(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  if (end < 0) return field.toString('latin1');
  if (!isZero(field.subarray(end))) throw new ArchiveProblem('a name holds a NUL');
  return field.toString('latin1', 0, end);
}

/** Octal digits, spaces in front, a NUL or space behind. Base-256 numbers are only needed past 8 GiB and refused. */
function octal(block: Buffer, at: number, length: number): number {
  const match = /^ *([0-7]+)[\0 ]*$/.exec(block.toString('latin1', at, at + length));
  if (match?.[1] === undefined) throw new ArchiveProblem('a header has a number that is not octal');
  return Number.parseInt(match[1], 8);
}

/** Attributes that say nothing about names, sizes or content; everything else, sparse maps above all, is refused. */
const IGNORED_PAX =
  /^(?:mtime|atime|ctime|uid|gid|uname|gname|comment|LIBARCHIVE\.(?:creationtime|xattr\..+)|SCHILY\.(?:dev|ino|nlink|fflags|xattr\..+))$/;

/** The records of a PAX header that matter here: at most a `path`. Throws `ArchiveProblem` for any other meaning it may carry. */
export function decodePax(bytes: Buffer, global: boolean): { readonly path?: string } {
  const seen = new Set<string>();
  let path: string | undefined;
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const digits = bytes.toString('latin1', at, Math.min(space < 0 ? at : space, at + 8));
    const length = /^[1-9][0-9]{0,6}$/.test(digits) ? Number(digits) : 0;
    const record = bytes.subarray(space + 1, at + length);
    const equals = record.indexOf(0x3d);
    if (length <= digits.length + 1 || at + length > bytes.length || record.at(-1) !== 0x0a || equals < 1)
      throw new ArchiveProblem('an extended header is malformed');
    const key = record.toString('latin1', 0, equals);
    if (seen.has(key)) throw new ArchiveProblem('an extended header repeats an attribute');
    seen.add(key);
    if (key === 'path' && !global) path = record.toString('latin1', equals + 1, record.length - 1);
    else if (!IGNORED_PAX.test(key)) throw new ArchiveProblem('an extended header changes more than a name');
    at += length;
  }
  return path === undefined ? {} : { path };
}
