/** The status a provider of commands reports, decoded so that a wrong report claims nothing (02:95-121). */

import { plain } from './manifest/words.js';
import { boolean as flag, isObject, oneOf, Problems, record } from './shape.js';
import { parseStrict } from './strict-json.js';
import type { Result } from './wire.js';

export type Readiness = 'available' | 'unavailable' | 'unknown';
export type Isolation = 'isolated' | 'host' | 'unknown';

/** Advisory: it neither authorizes execution nor proves that the network policy holds (18:49). */
export interface ExecutionStatus {
  readonly readiness: Readiness;
  readonly isolation: Isolation;
  readonly explanation?: string;
  /** Honoured only for a provider that is available and isolated (02:106-108). */
  readonly networkPolicyEnforced: boolean;
}

export interface StatusReport {
  readonly status: ExecutionStatus;
  /** Why the report was not taken; the status is then unknown throughout. */
  readonly error?: string;
}

export const MAX_STATUS_BYTES = 2_048;

const UNKNOWN: ExecutionStatus = { readiness: 'unknown', isolation: 'unknown', networkPolicyEnforced: false };

const shape = record(
  { readiness: oneOf('available', 'unavailable', 'unknown'), isolation: oneOf('isolated', 'host', 'unknown') },
  { explanation: plain(200), networkPolicyEnforced: flag },
);

const invalid = (error: string): StatusReport => ({ status: UNKNOWN, error });

/** Reads the payload of a status answer: at most 2048 bytes of strict JSON, closed, normalized. Never partial. */
export function decodeExecutionStatus(payload: Uint8Array | string): StatusReport {
  const parsed = parseStrict(payload, { maxBytes: MAX_STATUS_BYTES });
  if (parsed._tag === 'Left') return invalid(parsed.left.message);
  const problems = new Problems();
  shape.check(parsed.right, '$', problems.report);
  const [first] = problems.all();
  if (first !== undefined || !isObject(parsed.right))
    return invalid(`The status report is not valid: ${first?.path ?? '$'} (${first?.rule ?? 'type'}).`);
  const { readiness, isolation, explanation, networkPolicyEnforced } = parsed.right as unknown as ExecutionStatus;
  const known = readiness === 'available' ? isolation : 'unknown';
  return {
    status: {
      readiness,
      isolation: known,
      ...(explanation === undefined ? {} : { explanation }),
      networkPolicyEnforced: networkPolicyEnforced === true && known === 'isolated',
    },
  };
}

/** The status in an ordinary result; a result with outputs or without payload is no status. */
export function executionStatusOf(result: Result): StatusReport {
  if (result.outputs !== undefined) return invalid('A status report has no outputs.');
  if (result.payload === undefined) return invalid('A status report needs a payload.');
  return decodeExecutionStatus(JSON.stringify(result.payload));
}
