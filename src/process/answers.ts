/** What an add-on's answer means for the owner (wire, "Answers of the add-on"). */

import type { CallFailure } from '../commands/ports.js';
import { type Either, left } from '../contract/fp.js';
import { parseStrict } from '../contract/strict-json.js';
import type { Exchange } from './exchange.js';

const ERROR_BYTES = 65_536;
const MESSAGE_CHARACTERS = 1_000;
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const DEFAULT_RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 300;

/** Reads one kind of body; the left says what is wrong with it without quoting it. */
export type Decode<A> = (body: Uint8Array) => Either<string, A>;

const outage = (message: string): Either<CallFailure, never> => left({ kind: 'outage', message });

/** `absent`: a 404 is an answer, "there is no such receipt". */
export function interpret<A>(result: Exchange, decode: Decode<A>, absent = false): Either<CallFailure, A> {
  if (result.kind === 'not-sent') return left(result);
  if (result.kind === 'timeout') return left(result);
  if (result.kind === 'failed') return outage(result.message);
  const { status, body } = result;
  if (status === 200) {
    const decoded = decode(body);
    return decoded._tag === 'Left' ? outage(`its answer is malformed: ${decoded.left}`) : decoded;
  }
  if (status === 404 && absent) return left({ kind: 'no-receipt' });
  if (status === 429) return left({ kind: 'busy', retryAfter: retryAfter(result.retryAfter) });
  const error = errorOf(body);
  if (status === 409) return left({ kind: 'conflict', ...(error ?? { message: 'The add-on reported a conflict.' }) });
  if ((status === 400 || status === 422) && error !== undefined) return left({ kind: 'refused', ...error });
  if (status >= 300 && status < 400) return outage('it answered with a redirect, which is never followed');
  return outage(`it answered with status ${status}`);
}

/** Seconds, within 1 and 300; a missing or unusable header asks for one. */
function retryAfter(header: string | undefined): number {
  const seconds = header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : DEFAULT_RETRY_SECONDS;
  return Math.min(Math.max(seconds, 1), MAX_RETRY_SECONDS);
}

/** `{"error": {"code"?, "message"}}`; undefined for anything else, which then proves nothing. */
function errorOf(body: Uint8Array): { code?: string; message: string } | undefined {
  const parsed = parseStrict(body, { maxBytes: ERROR_BYTES });
  if (parsed._tag === 'Left' || typeof parsed.right !== 'object' || parsed.right === null) return undefined;
  const { error } = parsed.right as { error?: unknown };
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof message !== 'string') return undefined;
  // Half a character at the cut would have no JSON, and the words could then not be recorded.
  const whole = message.slice(0, MESSAGE_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  const cut = message.length > MESSAGE_CHARACTERS ? `${whole}\u2026` : message;
  return typeof code === 'string' && CODE.test(code) ? { code, message: cut } : { message: cut };
}
