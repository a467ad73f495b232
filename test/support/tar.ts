/** Tar archives built byte by byte, so that a test can break any rule of the format; the defaults make a correct one. */

export interface HeaderFields {
  readonly name: string | Buffer;
  readonly type?: string;
  readonly size?: number | string;
  readonly mode?: number;
  readonly link?: string;
  readonly prefix?: string;
  readonly magic?: string;
  readonly checksum?: number;
}

export function header(fields: HeaderFields): Buffer {
  const block = Buffer.alloc(512);
  const put = (at: number, value: string | Buffer) =>
    (typeof value === 'string' ? Buffer.from(value, 'latin1') : value).copy(block, at);
  put(0, fields.name);
  put(100, `${(fields.mode ?? 0o644).toString(8).padStart(7, '0')}\0`);
  put(108, '0000000\0');
  put(116, '0000000\0');
  const { size = 0 } = fields;
  put(124, typeof size === 'number' ? `${size.toString(8).padStart(11, '0')}\0` : size);
  put(136, '00000000000\0');
  put(156, fields.type ?? '0');
  put(157, fields.link ?? '');
  put(257, fields.magic ?? 'ustar\u000000');
  put(345, fields.prefix ?? '');
  block.fill(' ', 148, 156);
  const sum = fields.checksum ?? block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  return block;
}

const bytesOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);

export const file = (name: string, content: string | Uint8Array, fields: Partial<HeaderFields> = {}): Buffer =>
  Buffer.concat([header({ name, size: bytesOf(content).length, ...fields }), padded(bytesOf(content))]);
export const folder = (name: string): Buffer => header({ name: `${name}/`, type: '5', mode: 0o755 });
export const pax = (records: Readonly<Record<string, string>>, type = 'x'): Buffer => {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = rest.length + 1;
    while (`${length}${rest}`.length !== length) length = `${length}${rest}`.length;
    return `${length}${rest}`;
  });
  return file('PaxHeader', lines.join(''), { type });
};
export const gnuLongName = (name: string): Buffer =>
  file('././@LongLink', `${name}\0`, { type: 'L', magic: 'ustar  \0' });
export const END = Buffer.alloc(1024);
export const archive = (...parts: Uint8Array[]): Buffer => Buffer.concat([...parts, END]);
