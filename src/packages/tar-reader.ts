/** Reads a tar archive in one pass from a stream of chunks, as strictly as `tar-header.ts` reads one header. */
import { pathProblem } from './package-path.js';
import { ArchiveProblem, BLOCK, decodeHeader, decodePax, isZero, type TarHeader } from './tar-header.js';

export interface TarEntry {
  /** Checked by `pathProblem`; a directory's closing slash is taken off. */
  readonly path: string;
  readonly directory: boolean;
  readonly size: number;
  /** The permission bits of the archive, for the checks of a publisher; nothing is ever written with them. */
  readonly mode: number;
  /** The owner's execute bit. */
  readonly executable: boolean;
  /** Exactly `size` bytes; what is not read is skipped when the next entry is asked for. */
  readonly body: AsyncIterable<Buffer>;
}

const MAX_EXTENDED_BYTES = 65_536;

/**
 * The entries in order, each body to be read before the next entry. Counts files and folders against `maxEntries`, after the
 * `before` of earlier archives. Throws `ArchiveProblem`: links and special files, bad names, extended headers that change more
 * than a name, a missing or single end mark, anything but zeros behind it, an archive that stops early.
 */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  maxEntries: number,
  before = 0,
): AsyncGenerator<TarEntry> {
  const source = new Blocks(chunks);
  try {
    yield* readBlocks(source, maxEntries, before);
  } finally {
    await source.close();
  }
}

async function* readBlocks(source: Blocks, maxEntries: number, before: number): AsyncGenerator<TarEntry> {
  let long: { path?: string } | undefined;
  let count = before;
  for (;;) {
    const block = await source.exactly(BLOCK);
    if (isZero(block)) break;
    const header = decodeHeader(block);
    if (header.kind !== 'file' && header.kind !== 'directory') {
      const read = await readExtended(source, header);
      if (header.kind === 'pax-global') continue;
      // Two names for one entry: readers differ on which one wins.
      if (long !== undefined) throw new ArchiveProblem('an entry has more than one extended header');
      long = read;
      continue;
    }
    count += 1;
    if (count > maxEntries) throw new ArchiveProblem(`it holds more than ${maxEntries} files and folders`);
    const directory = header.kind === 'directory';
    if (directory && header.size !== 0) throw new ArchiveProblem('it holds a folder with content of its own');
    const body = source.body(header.size);
    yield {
      path: checked(long?.path ?? header.name, directory),
      directory,
      size: header.size,
      mode: header.mode,
      executable: header.executable,
      body,
    };
    for await (const _rest of body) void _rest;
    await source.skip(padding(header.size));
    long = undefined;
  }
  if (long !== undefined) throw new ArchiveProblem('an extended header stands before no entry');
  if (!isZero(await source.exactly(BLOCK))) throw new ArchiveProblem('its end mark is broken');
  for (let rest = await source.next(); rest !== undefined; rest = await source.next())
    if (!isZero(rest)) throw new ArchiveProblem('it has bytes after its end mark');
}

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

async function readExtended(source: Blocks, header: TarHeader): Promise<{ path?: string }> {
  if (header.size > MAX_EXTENDED_BYTES) throw new ArchiveProblem('an extended header is too large');
  const bytes = await source.exactly(header.size);
  await source.skip(padding(header.size));
  if (header.kind !== 'gnu-long-name') return decodePax(bytes, header.kind === 'pax-global');
  const end = bytes.indexOf(0);
  if (end < 0 || !isZero(bytes.subarray(end))) throw new ArchiveProblem('a long name is malformed');
  return { path: bytes.toString('latin1', 0, end) };
}

function checked(name: string, directory: boolean): string {
  const path = directory && name.endsWith('/') ? name.slice(0, -1) : name;
  const problem = pathProblem(path);
  if (problem !== undefined) throw new ArchiveProblem(`it holds ${problem}`);
  return path;
}

/** Hands out exact pieces of a stream of chunks of any size. */
class Blocks {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /** Ends the stream of chunks, which closes what it comes from. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  /** The next bytes as they come, at most `max`; undefined at the end. */
  async next(max = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
    while (this.rest.length === 0) {
      const { done, value } = await this.chunks.next();
      if (done === true) return undefined;
      this.rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const piece = this.rest.subarray(0, max);
    this.rest = this.rest.subarray(piece.length);
    return piece;
  }

  async exactly(length: number): Promise<Buffer> {
    if (this.rest.length >= length) {
      const piece = this.rest.subarray(0, length);
      this.rest = this.rest.subarray(length);
      return piece;
    }
    const pieces: Buffer[] = [];
    for await (const piece of this.body(length)) pieces.push(piece);
    return Buffer.concat(pieces, length);
  }

  async skip(length: number): Promise<void> {
    for await (const _piece of this.body(length)) void _piece;
  }

  /** One iterator, so that a second loop goes on where the first stopped. */
  body(length: number): AsyncIterable<Buffer> {
    let left = length;
    const next = async (): Promise<IteratorResult<Buffer>> => {
      if (left === 0) return { done: true, value: undefined };
      const piece = await this.next(left);
      if (piece === undefined) throw new ArchiveProblem('it ends early');
      left -= piece.length;
      return { done: false, value: piece };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }
}
