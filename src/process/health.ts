/** Whether an incarnation is the one it was told to be, and goes on being it (07:47-53). */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../commands/ports.js';
import type { Registration } from '../contract/wire.js';
import { parseJson } from './answers.js';
import { pause } from './deadlines.js';
import type { Exchange } from './exchange.js';
import type { BoundClient } from './runtime-client.js';

export type Health =
  | { readonly kind: 'well' }
  /** It may be well later: it does not listen yet, or says so itself. */
  | { readonly kind: 'unwell'; readonly reason: string }
  /** Its answer is a registration, but not its own. */
  | { readonly kind: 'other'; readonly reason: string };

const FIELDS = ['protocol', 'addonId', 'version', 'generation', 'incarnation', 'endpoint', 'capabilities'] as const;

/** Compares the answer of `GET /health` with the registration, field by field; a further field is a difference too. */
export function judge(answer: Exchange, registration: Registration): Health {
  if (answer.kind === 'timeout') return { kind: 'unwell', reason: 'it did not answer its health check in time' };
  if (answer.kind !== 'answer')
    return { kind: 'unwell', reason: `its health check could not be made: ${answer.message}` };
  if (answer.status !== 200) return { kind: 'unwell', reason: `its health check answered status ${answer.status}` };
  const parsed = parseJson(answer.body);
  if (parsed._tag === 'Left' || typeof parsed.right !== 'object' || parsed.right === null)
    return { kind: 'other', reason: 'its health answer is not a JSON object' };
  const told = parsed.right as Record<string, unknown>;
  // As it went over the pipe: the comparison is of JSON values, not of how either side builds its objects.
  const sent = JSON.parse(JSON.stringify(registration)) as Record<string, unknown>;
  const wrong = FIELDS.find((field) => !isDeepStrictEqual(told[field], sent[field]));
  if (wrong !== undefined)
    return { kind: 'other', reason: `its health answer differs from its registration in "${wrong}"` };
  return Object.keys(told).length === FIELDS.length
    ? { kind: 'well' }
    : { kind: 'other', reason: 'its health answer has fields that its registration has not' };
}

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 250;

/** Asks until it is well, says it is another one, or the signal aborts; the last thing seen. */
export async function untilWell(
  client: BoundClient,
  registration: Registration,
  options: { readonly clock: Clock; readonly callMs: number; readonly signal: AbortSignal },
): Promise<Health> {
  let seen: Health = { kind: 'unwell', reason: 'it was not asked' };
  for (let wait = FIRST_PAUSE_MS; !options.signal.aborted; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
    const asked = judge(await client.health(options.callMs, options.signal), registration);
    if (asked.kind !== 'unwell') return asked;
    if (!options.signal.aborted) seen = asked;
    await pause(options.clock, wait, options.signal);
  }
  return seen;
}
