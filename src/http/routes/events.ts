/** `GET /api/events`: tells a browser which of its lists changed, over one stream (wire, "Files" and SSE). */
import type { ChangeKind } from '../../contract/api.js';
import { refuse } from '../../contract/refusal.js';
import { refusalResponse } from '../answers.js';
import type { Call } from '../call.js';
import { type EventStream, eventStream } from '../event-stream.js';
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
  return eventStream(call, (stream) => tellChanges(call, stream));
}

async function tellChanges(call: Call, stream: EventStream): Promise<void> {
  const changed = new Set<ChangeKind>();
  const unsubscribe = call.deps.gateway.subscribe(call.caller, (kind) => {
    changed.add(kind);
    stream.wake();
  });
  try {
    await stream.comment('connected');
    while (!stream.ended) {
      if (changed.size === 0) await stream.pause(HEARTBEAT_MS);
      if (changed.size === 0) {
        await stream.comment('still here');
        continue;
      }
      await gather(call);
      const kinds = [...changed];
      changed.clear();
      for (const kind of kinds) await stream.send('changed', { kind });
    }
  } finally {
    unsubscribe();
  }
}

/** Not a pause of the stream: the next change must not end it. */
const gather = (call: Call): Promise<void> =>
  new Promise((resolve) => void call.deps.clock.after(GATHER_MS, () => resolve()));

export const eventRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/events', summary: 'Server-sent events that say which lists changed.', handle: events },
];
