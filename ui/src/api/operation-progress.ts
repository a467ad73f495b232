/** How far a download is, read from the stream that the owner tells it on (09, "Public API"); the status alone does not say. */
import type { TrackedStatus } from './operation-calls.ts';

/** A stream is one of the few places a person has, and a page needs one for its lists. */
const MOST_AT_ONCE = 2;
const MAX_EVENT_CHARS = 65_536;
/** The owner ends each stream after a while; the next one is opened this much later. */
const AGAIN_MS = 2_000;
let open = 0;

/**
 * Calls `told` for each status of the operation until `signal` aborts. Nothing fails: whoever shows progress also reads the
 * status, and goes on without.
 */
export async function followProgress(
  operationId: string,
  signal: AbortSignal,
  told: (progress: TrackedStatus['progress']) => void,
): Promise<void> {
  while (!signal.aborted) {
    if (open < MOST_AT_ONCE) {
      open += 1;
      // Cut, refused or left: the reads of the status say how it ended.
      await readStream(operationId, signal, told).catch(() => undefined);
      open -= 1;
    }
    await new Promise((wake) => setTimeout(wake, AGAIN_MS));
  }
}

async function readStream(
  operationId: string,
  signal: AbortSignal,
  told: (progress: TrackedStatus['progress']) => void,
): Promise<void> {
  const request = { operationId, action: 'operation-status', arguments: { operationId } };
  const response = await fetch('/api/addons/relay', {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'progress', request }),
    signal,
    cache: 'no-store',
    credentials: 'same-origin',
    mode: 'same-origin',
    redirect: 'error',
  });
  if (!response.ok || response.body === null) return;
  for await (const status of statuses(response.body)) if (!signal.aborted) told(status.progress);
}

async function* statuses(body: ReadableStream<Uint8Array>): AsyncGenerator<TrackedStatus> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      const events = rest.split('\n\n');
      rest = events.pop() ?? '';
      if (rest.length > MAX_EVENT_CHARS) return;
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) yield JSON.parse(data) as TrackedStatus;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
