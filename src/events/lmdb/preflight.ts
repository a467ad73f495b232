/**
 * Looks at the first two pages of `data.mdb` before LMDB maps it: a file that is not a database, or whose roots lie
 * behind its end, would end the process by a signal instead of an error.
 */
import { lstat, open } from 'node:fs/promises';
import { dataFile } from './layout.js';

const META_FLAG = 0x08;
const MAGIC = 0xbeefc0de;
/** Offsets within a meta page: flags, magic, page size, roots of the two core trees, transaction id. */
export const META_AT = { flags: 18, magic: 24, pageSize: 48, roots: [88, 136], txn: 152 } as const;
const NO_ROOT = 0xffffffffffffffffn;
/** The first commits, which make the empty databases, write a dozen pages. */
const FIRST_CREATION_BYTES = 256 * 1024;

export type DataFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'empty' }
  /** `torn`: a regular file so small that an interrupted first creation can have left it. */
  | { readonly kind: 'bad'; readonly reason: string; readonly torn?: boolean }
  | { readonly kind: 'plausible' };

export async function inspectDataFile(directory: string): Promise<DataFile> {
  const path = dataFile(directory);
  try {
    const entry = await lstat(path);
    if (!entry.isFile()) return { kind: 'bad', reason: 'it is not a regular file' };
    if (entry.size === 0) return { kind: 'empty' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'absent' };
    throw error;
  }
  const handle = await open(path, 'r');
  const bad = async (reason: string): Promise<DataFile> => {
    const { size } = await handle.stat();
    return { kind: 'bad', reason, torn: size <= FIRST_CREATION_BYTES };
  };
  try {
    const first = Buffer.alloc(160);
    await handle.read(first, 0, first.length, 0);
    const pageSize = first.readUInt32LE(META_AT.pageSize);
    if (!isMeta(first) || pageSize < 512 || pageSize > 65_536) return await bad('it is not a database');
    const second = Buffer.alloc(160);
    await handle.read(second, 0, second.length, pageSize);
    if (!isMeta(second)) return await bad('its second meta page is damaged');
    const meta = first.readBigUInt64LE(META_AT.txn) >= second.readBigUInt64LE(META_AT.txn) ? first : second;
    // Asked last: a running owner makes the file longer before it names the new pages, and never shorter.
    const { size } = await handle.stat();
    const pages = BigInt(Math.floor(size / pageSize));
    for (const at of META_AT.roots) {
      const root = meta.readBigUInt64LE(at);
      if (root !== NO_ROOT && root >= pages) return await bad('its end is missing');
    }
    return { kind: 'plausible' };
  } finally {
    await handle.close();
  }
}

function isMeta(page: Buffer): boolean {
  return (page.readUInt16LE(META_AT.flags) & META_FLAG) !== 0 && page.readUInt32LE(META_AT.magic) === MAGIC;
}
