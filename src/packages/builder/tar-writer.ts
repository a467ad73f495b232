/** Writes the headers of a plain ustar archive whose bytes depend on names, contents and execute bits alone. */
import { BLOCK } from '../tar-header.js';

/** Two blocks of zeros. */
export const END_MARK = Buffer.alloc(2 * BLOCK);

export const paddingAfter = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/**
 * The header (and, for a long name, the extended header in front of it) of one file. No time, owner or group is written, and
 * of the mode only whether the owner may run it: the same folder gives the same archive under every umask and clock.
 */
export function fileHeader(path: string, size: number, executable: boolean): Buffer {
  const mode = executable ? 0o755 : 0o644;
  const split = splitName(path);
  if (split !== undefined) return header({ ...split, size, mode, type: '0' });
  const record = paxRecord('path', path);
  return Buffer.concat([
    header({ name: 'PaxHeaders/path', prefix: '', size: record.length, mode: 0o644, type: 'x' }),
    record,
    paddingAfter(record.length),
    header({ name: path.slice(0, 100), prefix: '', size, mode, type: '0' }),
  ]);
}

/** At the last slash that leaves at most 155 bytes in front and 100 behind. */
function splitName(path: string): { name: string; prefix: string } | undefined {
  if (path.length <= 100) return { name: path, prefix: '' };
  for (let at = path.lastIndexOf('/', 155); at >= path.length - 101 && at > 0; at = path.lastIndexOf('/', at - 1))
    if (path.length - at - 1 <= 100) return { name: path.slice(at + 1), prefix: path.slice(0, at) };
  return undefined;
}

/** `length key=value`, where the length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  while (`${length}${rest}`.length !== length) length += 1;
  return Buffer.from(`${length}${rest}`, 'latin1');
}

interface Fields {
  readonly name: string;
  readonly prefix: string;
  readonly size: number;
  readonly mode: number;
  readonly type: string;
}

function header({ name, prefix, size, mode, type }: Fields): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.write(name, 0, 'latin1');
  block.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1');
  block.write(`${octal(size, 11)}\0${octal(0, 11)}\0`, 124, 'latin1');
  block.write(`        ${type}`, 148, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  block.write(prefix, 345, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return block;
}
