/** `GET /api/events`: tells a browser which of its lists changed, over one stream (wire, "Files" and SSE). */
import { streamSSE } from 'hono/streaming';
import type { ChangeKind } from '../../contract/api.js';
import { refuse } from '../../contract/refusal.js';
import { refusalResponse } from '../answers.js';
import type { Call } from '../call.js';
import { fromAnotherSite } from '../guard/mutation.js';
import type { Route } from './table.js';

const HEARTBEAT_MS = 5_000;
/** Changes within this time go out as one event a kind; a burst of proposals costs the page one read. */
const GATHER_MS = 50;

async function events(call: Call): Promise<Response> {
  if (fromAnotherSite(call.context))
    return refusalResponse(call.context, refuse('denied', 'The request came from a page of another site.'));
  // Nobody reads the body of an answer to HEAD, so a stream would hold its place for ever.
  if (call.context.req.method === 'HEAD') return call.context.body(null, 200, { 'Content-Type': 'text/event-stream' });
  let wake = () => {};
  let stopping = false;
  const release = call.deps.streams.take(call.caller.actor.userId, () => {
    stopping = true;
    wake();
  });
  if (release === undefined)
    return refusalResponse(
      call.context,
      refuse('busy', 'Too many open streams. Close another tab or download.', { retryAfter: 5 }),
    );
  call.context.header('X-Accel-Buffering', 'no');
  return streamSSE(call.context, async (stream) => {
    const changed = new Set<ChangeKind>();
    const unsubscribe = call.deps.gateway.subscribe(call.caller, (kind) => {
      changed.add(kind);
      wake();
    });
    stream.onAbort(() => wake());
    try {
      await stream.write(': connected\n\n');
      while (!stream.aborted && !stream.closed && !stopping) {
        if (changed.size === 0) await untilWoken(HEARTBEAT_MS, (resume) => (wake = resume));
        if (stopping) return;
        if (changed.size === 0) {
          await stream.write(': still here\n\n');
          continue;
        }
        await untilWoken(GATHER_MS, () => {});
        const kinds = [...changed];
        changed.clear();
        for (const kind of kinds) await stream.writeSSE({ event: 'changed', data: JSON.stringify({ kind }) });
      }
    } finally {
      unsubscribe();
      release();
    }
  });
}

function untilWoken(ms: number, give: (resume: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    give(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export const eventRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/events', summary: 'Server-sent events that say which lists changed.', handle: events },
];
