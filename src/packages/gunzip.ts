/** Takes the gzip coding off a stream of bytes, on a thread of its own, and refuses what another reader could take differently. */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ArchiveProblem } from './tar-header.js';

/** Large enough that a layer of half a gigabyte is not millions of pieces. */
const PIECE_BYTES = 262_144;

/**
 * The content of one or several gzip members. Throws what `chunks` throws, or `ArchiveProblem` for damage, a stream that ends
 * early, and any byte behind the last member. How much comes out is for the reader to bound.
 */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const engine = createGunzip({ chunkSize: PIECE_BYTES });
  let given = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      given += chunk.byteLength;
      yield chunk;
    }
  }
  const fed = pipeline(counted, engine);
  // The reader below meets the same error; without this line the one that comes first would count as unhandled.
  fed.catch(() => undefined);
  try {
    for await (const piece of engine) yield piece as Uint8Array;
    await fed;
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (code === 'Z_BUF_ERROR') throw new ArchiveProblem('its compression ends early');
    if (code.startsWith('Z_')) throw new ArchiveProblem('its compression is damaged');
    if (code === 'ERR_STREAM_PREMATURE_CLOSE') throw new ArchiveProblem('it has bytes behind its compression');
    throw error;
  } finally {
    engine.destroy();
  }
  // The engine takes zeros behind the last member for padding.
  if (engine.bytesWritten !== given) throw new ArchiveProblem('it has bytes behind its compression');
}
