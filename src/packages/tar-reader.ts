/** Reads a tar archive in one pass from a stream of chunks, as strictly as `tar-parser.ts` takes it apart. */
import { ArchiveProblem } from './tar-header.js';
import { type TarEvent, type TarHead, TarParser } from './tar-parser.js';

export interface TarEntry extends TarHead {
  /** Exactly `size` bytes; what is not read is skipped when the next entry is asked for. */
  readonly body: AsyncIterable<Buffer>;
}

/** The entries in order, each body to be read before the next entry. Throws what `TarParser` throws, and what `chunks` throws. */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  maxEntries: number,
  before = 0,
): AsyncGenerator<TarEntry> {
  const events = eventsOf(chunks, new TarParser(maxEntries, before));
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) return;
      // The end of an entry whose body was read already.
      if (value.kind !== 'entry') continue;
      const body = bodyOf(events);
      yield { ...value.entry, body };
      for await (const _rest of body) void _rest;
    }
  } finally {
    // Closes what the chunks come from.
    await events.return(undefined);
  }
}

async function* eventsOf(chunks: AsyncIterable<Uint8Array>, parser: TarParser): AsyncGenerator<TarEvent, undefined> {
  for await (const chunk of chunks) yield* parser.push(chunk);
  parser.end();
  return undefined;
}

/** One iterator, so that a second loop goes on where the first stopped. */
function bodyOf(events: AsyncGenerator<TarEvent, undefined>): AsyncIterable<Buffer> {
  let over = false;
  const next = async (): Promise<IteratorResult<Buffer>> => {
    if (over) return { done: true, value: undefined };
    const { done, value } = await events.next();
    if (done === true) throw new ArchiveProblem('it ends early');
    if (value.kind === 'data') return { done: false, value: value.bytes };
    over = true;
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
