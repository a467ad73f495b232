/** Compresses so that the same bytes give the same bytes on every machine. */
import { Gzip } from 'fflate';

const PIECE = 65_536;

/**
 * The gzip stream of `chunks`, without a name and a time. The compressor of Node gives other bytes on other processors and
 * versions; this one is plain arithmetic. It sees pieces of one size, since its output depends on how its input is cut.
 */
export async function* gzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const stream = new Gzip({ level: 6, mtime: 0 }, (data) => ready.push(data));
  const take = () => {
    const taken = ready;
    ready = [];
    return taken;
  };
  for await (const piece of pieces(chunks)) {
    stream.push(piece);
    yield* take();
  }
  stream.push(new Uint8Array(0), true);
  yield* take();
}

async function* pieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = new Uint8Array(PIECE);
  let used = 0;
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; ) {
      const some = chunk.subarray(at, at + PIECE - used);
      held.set(some, used);
      used += some.length;
      at += some.length;
      if (used < PIECE) continue;
      yield held;
      held = new Uint8Array(PIECE);
      used = 0;
    }
  if (used > 0) yield held.subarray(0, used);
}
