/** The last lines an add-on wrote to its standard output and error: bounded in lines, line length and rate. */
import type { Socket } from 'node:net';
import type { Clock } from '../commands/ports.js';

const LINES = 200;
const LINE_BYTES = 4_096;
/** Read beyond the cut, so that a credential that stands across it is found before the line is cut. */
const SCRUB_BYTES = 128;
const READ_BYTES = LINE_BYTES + SCRUB_BYTES;
/** An add-on that writes faster is slowed down by its own pipe, so that it cannot keep the owner busy reading. */
const BYTES_PER_WINDOW = 262_144;
const WINDOW_MS = 250;

export type OutputName = 'stdout' | 'stderr';

export class LogSink {
  private readonly kept: string[] = [];
  private secret = '';

  constructor(
    private readonly clock: Clock,
    /** Is given each line as it is kept, for the log of the host. */
    private readonly onLine: (line: string, stream: OutputName) => void = () => {},
  ) {}

  /** Oldest first. */
  lines(): readonly string[] {
    return [...this.kept];
  }

  /** The credential of the present incarnation, which is blotted out should the add-on print it. */
  hide(secret: string): void {
    this.secret = secret;
  }

  /** Reads a pipe to its end. A line that is longer than 4096 bytes is kept up to there; the rest of it is dropped. */
  attach(stream: Socket, name: OutputName = 'stderr'): void {
    let rest = Buffer.alloc(0);
    let skipping = false;
    let budget = BYTES_PER_WINDOW;
    const take = (line: Buffer) => {
      if (skipping) skipping = false;
      else this.keep(line, name);
    };
    stream.on('data', (chunk: Buffer) => {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        take(Buffer.concat([rest, chunk.subarray(from, Math.min(end, from + READ_BYTES))]));
        rest = Buffer.alloc(0);
        from = end + 1;
      }
      if (!skipping) rest = Buffer.concat([rest, chunk.subarray(from, from + READ_BYTES)]);
      if (rest.length >= READ_BYTES) {
        this.keep(rest, name);
        skipping = true;
        rest = Buffer.alloc(0);
      }
      budget -= chunk.length;
      if (budget > 0) return;
      stream.pause();
      this.clock.after(WINDOW_MS, () => {
        budget = BYTES_PER_WINDOW;
        stream.resume();
      });
    });
    stream.on('end', () => {
      if (rest.length > 0) take(rest);
    });
    stream.on('error', () => stream.destroy());
  }

  private keep(line: Buffer, name: OutputName): void {
    const whole = line.subarray(0, READ_BYTES).toString('utf8').replace(/\r$/, '');
    const clean = this.secret === '' ? whole : whole.replaceAll(this.secret, '[credential]');
    // The very end of a line that went on may be the beginning of a credential.
    const sure = line.length < READ_BYTES ? clean : clean.slice(0, -SCRUB_BYTES / 2);
    const bytes = Buffer.from(sure);
    const cut = bytes.length <= LINE_BYTES ? sure : wholeCharacters(bytes.subarray(0, LINE_BYTES));
    this.kept.push(cut);
    this.onLine(cut, name);
    if (this.kept.length > LINES) this.kept.shift();
  }
}

/** Without the character that the cut went through, which would be shown as another one. */
function wholeCharacters(bytes: Buffer): string {
  let end = bytes.length;
  while (end > 0 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.toString('utf8', 0, end - 1 + size <= bytes.length ? end - 1 + size : end - 1);
}
