/** `POST /api/addons/relay`: the state of a lifecycle operation, once or as a stream (09, "Public API"). */
import type { OperationProgress } from '../../commands/gateway.js';
import { closed, type Either, isLeft, t } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { refusalResponse } from '../answers.js';
import { requestBody } from '../body.js';
import type { Call } from '../call.js';
import { type EventStream, eventStream } from '../event-stream.js';
import type { Route } from './table.js';

const request = closed(
  'request',
  { operationId: t.string, action: t.string },
  { addonId: t.string, resourceId: t.string, generation: t.number, arguments: t.UnknownRecord },
);
const relayBody = closed('relay', { request, kind: t.string }, { handle: t.string });

/** The authority is rechecked at each poll; the chapter allows none faster than this. */
const POLL_MS = 250;
const HEARTBEAT_MS = 5_000;
const MAX_MS = 60_000;
const MAX_BYTES = 1_048_576;

async function relay(call: Call): Promise<Response> {
  const body = await requestBody(call.context, relayBody);
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  const { kind } = body.right;
  const named = body.right.request.arguments?.operationId;
  const operationId = typeof named === 'string' ? named : body.right.request.operationId;
  if (kind === 'status') return status(call, operationId);
  if (kind === 'progress') return progress(call, operationId);
  return refusalResponse(
    call.context,
    refuse('denied', 'This kind of relay is not open. Nothing was sent to the add-on.'),
  );
}

/** The operation status as wire has it; how many bytes came is for the stream alone. */
async function status(call: Call, operationId: string): Promise<Response> {
  const found = await call.deps.gateway.operationStatus(call.caller, operationId);
  if (isLeft(found)) return refusalResponse(call.context, found.left);
  const { progress: _, ...plain } = found.right;
  return call.context.json(plain);
}

async function progress(call: Call, operationId: string): Promise<Response> {
  const first = await call.deps.gateway.operationStatus(call.caller, operationId);
  if (isLeft(first)) return refusalResponse(call.context, first.left);
  return eventStream(call, (stream) => tellProgress(call, stream, operationId, first));
}

async function tellProgress(
  call: Call,
  stream: EventStream,
  operationId: string,
  first: Either<Refusal, OperationProgress>,
): Promise<void> {
  const now = () => call.deps.clock.now().getTime();
  const until = now() + MAX_MS;
  let last = { text: '', at: 0 };
  let current = first;
  while (!isLeft(current) && !stream.ended && now() < until && stream.sentBytes < MAX_BYTES) {
    const text = JSON.stringify(current.right);
    if (text !== last.text || now() - last.at >= HEARTBEAT_MS) {
      last = { text, at: now() };
      await stream.send('status', current.right);
    }
    if (current.right.state === 'completed' || current.right.state === 'failed') return;
    await stream.pause(POLL_MS);
    current = await call.deps.gateway.operationStatus(call.caller, operationId);
  }
  // The status is sent, so a denial or outage can only be told by a stream that does not end as it should (09:208-209).
  if (isLeft(current)) stream.cut();
}

export const relayRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/addons/relay',
    summary: 'The state of an operation, once (status) or streamed (progress).',
    body: relayBody,
    handle: relay,
  },
];
