/** Whether an incarnation is the one it was told to be, and goes on being it (07:47-53). */
import type { Clock } from '../commands/ports.js';
import { decodeRegistration, registrationDifference } from '../contract/answers.js';
import type { Registration } from '../contract/wire.js';
import { pause } from './deadlines.js';
import type { Exchange } from './exchange.js';
import type { BoundClient } from './runtime-client.js';

export type Health =
  | { readonly kind: 'well' }
  /** It may be well later: it does not listen yet, or says so itself. */
  | { readonly kind: 'unwell'; readonly reason: string }
  /** Its answer is a registration, but not its own. */
  | { readonly kind: 'other'; readonly reason: string };

/** Compares the answer of `GET /health` with the registration, field by field; a further field is a difference too. */
export function judge(answer: Exchange, registration: Registration): Health {
  if (answer.kind === 'timeout') return { kind: 'unwell', reason: 'it did not answer its health check in time' };
  if (answer.kind !== 'answer')
    return { kind: 'unwell', reason: `its health check could not be made: ${answer.message}` };
  if (answer.status !== 200) return { kind: 'unwell', reason: `its health check answered status ${answer.status}` };
  const told = decodeRegistration(answer.body);
  if (told._tag === 'Left') return { kind: 'other', reason: `its health answer is no registration: ${told.left}` };
  const wrong = registrationDifference(told.right, registration);
  return wrong === undefined
    ? { kind: 'well' }
    : { kind: 'other', reason: `its health answer differs from its registration in "${wrong}"` };
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
