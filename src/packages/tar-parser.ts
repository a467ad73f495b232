/** Takes a tar archive apart while its chunks are handed in, one call after the other, as strictly as `tar-header.ts` reads one header. */
import { pathProblem } from './package-path.js';
import { ArchiveProblem, BLOCK, decodeHeader, decodePax, isZero, type TarHeader } from './tar-header.js';

export interface TarHead {
  /** Checked by `pathProblem`; a directory's closing slash is taken off. */
  readonly path: string;
  readonly directory: boolean;
  readonly size: number;
  /** The permission bits of the archive, for the checks of a publisher; nothing is ever written with them. */
  readonly mode: number;
  /** The owner's execute bit. */
  readonly executable: boolean;
}

/** Of each entry: its head, its content in pieces that are `size` bytes together, and its end. */
export type TarEvent =
  | { readonly kind: 'entry'; readonly entry: TarHead }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'end' };

const END: TarEvent = { kind: 'end' };
const MAX_EXTENDED_BYTES = 65_536;

/** What comes next: a block of so many bytes as a whole, content or padding, the second half of the end mark, or zeros. */
type State =
  | { readonly at: 'header' }
  | { readonly at: 'extended'; readonly header: TarHeader }
  | { readonly at: 'body' }
  | { readonly at: 'padding' }
  | { readonly at: 'mark' }
  | { readonly at: 'tail' };

const HEADER: State = { at: 'header' };

export class TarParser {
  private state: State = HEADER;
  /** Bytes of content or padding still to come. */
  private left = 0;
  /** Padding behind the content that is being read. */
  private pad = 0;
  private long: { readonly path?: string } | undefined;
  private count: number;
  /** The pieces of a block that began in an earlier chunk. */
  private pieces: Buffer[] = [];
  private held = 0;

  /** Counts files and folders against `maxEntries`, after the `before` of earlier archives. */
  constructor(
    private readonly maxEntries: number,
    before = 0,
  ) {
    this.count = before;
  }

  get entries(): number {
    return this.count;
  }

  /**
   * The events of the next chunk, to be taken to their end before the next call; its memory is not looked at later. Throws `ArchiveProblem`: links and special files,
   * bad names, extended headers that change more than a name, a broken end mark, anything but zeros behind it.
   */
  *push(chunk: Uint8Array): Generator<TarEvent, void> {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (rest.length > 0) {
      const { state } = this;
      if (state.at === 'body' || state.at === 'padding') {
        const piece = rest.subarray(0, this.left);
        rest = rest.subarray(piece.length);
        this.left -= piece.length;
        if (state.at === 'body') yield { kind: 'data', bytes: piece };
        if (this.left > 0) continue;
        if (state.at === 'body') yield END;
        this.skip(state.at === 'body' ? this.pad : 0);
      } else if (state.at === 'tail') {
        if (!isZero(rest)) throw new ArchiveProblem('it has bytes after its end mark');
        return;
      } else {
        const wanted = (state.at === 'extended' ? state.header.size : BLOCK) - this.held;
        const piece = rest.subarray(0, wanted);
        rest = rest.subarray(piece.length);
        const block = this.whole(piece, wanted);
        if (block !== undefined) yield* this.block(block, state);
      }
    }
  }

  /** Throws `ArchiveProblem` when the archive stopped early. */
  end(): void {
    if (this.state.at !== 'tail') throw new ArchiveProblem('it ends early');
  }

  /** The block that `piece` ends, or undefined when more of it is to come. */
  private whole(piece: Buffer, wanted: number): Buffer | undefined {
    if (piece.length === wanted && this.held === 0) return piece;
    // The memory of a chunk may be used for another one after it.
    this.pieces.push(Buffer.from(piece));
    this.held += piece.length;
    if (piece.length < wanted) return undefined;
    const block = Buffer.concat(this.pieces, this.held);
    this.pieces = [];
    this.held = 0;
    return block;
  }

  private *block(block: Buffer, state: State): Generator<TarEvent, void> {
    if (state.at === 'mark') {
      if (!isZero(block)) throw new ArchiveProblem('its end mark is broken');
      this.state = { at: 'tail' };
    } else if (state.at === 'extended') this.extended(block, state.header);
    else if (isZero(block)) {
      if (this.long !== undefined) throw new ArchiveProblem('an extended header stands before no entry');
      this.state = { at: 'mark' };
    } else {
      const header = decodeHeader(block);
      if (header.kind === 'file' || header.kind === 'directory') yield* this.entry(header);
      else if (header.size > MAX_EXTENDED_BYTES) throw new ArchiveProblem('an extended header is too large');
      else if (header.size === 0) this.extended(Buffer.alloc(0), header);
      else this.state = { at: 'extended', header };
    }
  }

  private *entry(header: TarHeader): Generator<TarEvent, void> {
    this.count += 1;
    if (this.count > this.maxEntries)
      throw new ArchiveProblem(`it holds more than ${this.maxEntries} files and folders`);
    const { size, mode, executable } = header;
    const directory = header.kind === 'directory';
    if (directory && size !== 0) throw new ArchiveProblem('it holds a folder with content of its own');
    const path = checked(this.long?.path ?? header.name, directory);
    this.long = undefined;
    yield { kind: 'entry', entry: { path, directory, size, mode, executable } };
    if (size === 0) {
      this.state = HEADER;
      yield END;
      return;
    }
    this.left = size;
    this.pad = padding(size);
    this.state = { at: 'body' };
  }

  private extended(bytes: Buffer, header: TarHeader): void {
    const read = header.kind === 'gnu-long-name' ? longName(bytes) : decodePax(bytes, header.kind === 'pax-global');
    if (header.kind !== 'pax-global') {
      // Two names for one entry: readers differ on which one wins.
      if (this.long !== undefined) throw new ArchiveProblem('an entry has more than one extended header');
      this.long = read;
    }
    this.skip(padding(header.size));
  }

  private skip(bytes: number): void {
    this.left = bytes;
    this.state = bytes === 0 ? HEADER : { at: 'padding' };
  }
}

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

function longName(bytes: Buffer): { readonly path: string } {
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
