/** Calls from the owner to an add-on: the envelope only the owner issues, a bound on every wait, words for failures. */
import type { Actor } from '../contract/actor.js';
import { type Either, left } from '../contract/fp.js';
import { type Refusal, type RefusalCode, type RefusalDetail, refuse } from '../contract/refusal.js';
import type { ContractRequest, Envelope, Revision, Scope } from '../contract/wire.js';
import type { CallFailure, Clock } from './ports.js';

/** How long past the add-on client's own deadline the owner waits before it gives the call up itself. */
const GRACE_MS = 5_000;
/** The credential id of calls that recovery makes for a person (wire, "What the owner calls"). */
export const RECOVERY_CREDENTIAL = 'owner-recovery';

export const recoveryActor = (owner: Pick<Actor, 'userId' | 'mode'>): Actor => ({
  userId: owner.userId,
  mode: owner.mode,
  credentialId: RECOVERY_CREDENTIAL,
});

/** Authority comes from the owner alone and ends with the call's own deadline (05:252-256). */
export function issue(clock: Clock, actor: Actor, scope: Scope, timeoutMs: number, request: ContractRequest): Envelope {
  const { userId, credentialId, mode } = actor;
  const expiresAt = new Date(clock.now().getTime() + timeoutMs).toISOString();
  return { request, authority: { actor: { userId, credentialId, mode }, scope, expiresAt } };
}

/** Runs a call; a throw counts as an outage, silence past `timeoutMs` as a timeout. The call is told to stop. */
export async function bounded<A>(
  clock: Clock,
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<Either<CallFailure, A>>,
): Promise<Either<CallFailure, A>> {
  const abort = new AbortController();
  let disarm = () => {};
  const late = new Promise<Either<CallFailure, A>>((resolve) => {
    disarm = clock.after(timeoutMs + GRACE_MS, () => {
      resolve(left({ kind: 'timeout' }));
      abort.abort();
    });
  });
  const answer = Promise.resolve()
    .then(() => call(abort.signal))
    .catch(() => left<CallFailure>({ kind: 'outage', message: 'the call failed' }));
  try {
    return await Promise.race([answer, late]);
  } finally {
    disarm();
  }
}

const MAX_WORDS = 512;

/** The add-on's own words, cut to what an error or an event may carry; never within a character, which has no JSON. */
export const cut = (words: string, max = MAX_WORDS): string =>
  words.length <= max ? words : `${words.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;

const UNREACHABLE = 'The add-on is not running or did not answer. Nothing changed by this call. Repeat it later.';

/** The refusal of a call that found no free place at the add-on in time; nothing was sent. */
export const crowded = (detail: RefusalDetail = {}): Refusal =>
  refuse('busy', 'The add-on serves as many calls as it may. Nothing was sent. Repeat the call in a moment.', {
    ...detail,
    retryAfter: 1,
  });

/**
 * The refusal of a read or a preview that did not answer: nothing was applied by it. `unavailable` names the code of
 * an outage on this route; a timeout has its own where the route is a read.
 */
export function callRefusal(
  failure: CallFailure,
  codes: { readonly unavailable: RefusalCode; readonly timeout: RefusalCode; readonly conflict: RefusalCode },
  detail: RefusalDetail = {},
): Refusal {
  switch (failure.kind) {
    case 'refused':
      return refuse(
        failure.code === 'not_permitted' ? 'not_permitted' : 'invalid_request',
        cut(failure.message),
        detail,
      );
    case 'conflict':
      return refuse(codes.conflict, cut(failure.message), detail);
    case 'busy':
      return refuse(
        'busy',
        'The add-on limits its calls. Nothing changed. Do not repeat the call before the given time.',
        {
          ...detail,
          code: 'rate_limited',
          retryAfter: failure.retryAfter,
        },
      );
    case 'timeout':
      return refuse(codes.timeout, 'The add-on did not answer in time. Nothing changed by this call.', detail);
    case 'not-sent':
      return failure.full === true ? crowded(detail) : refuse(codes.unavailable, UNREACHABLE, detail);
    case 'no-receipt':
    case 'outage':
      return refuse(codes.unavailable, UNREACHABLE, detail);
    default: {
      const forgotten: never = failure;
      return forgotten;
    }
  }
}

/** A revision as the contract has it: schema from 1, data from 0 (05:259-260). */
export const isRevision = ({ schema, data }: Revision): boolean =>
  Number.isSafeInteger(schema) && schema >= 1 && Number.isSafeInteger(data) && data >= 0;
