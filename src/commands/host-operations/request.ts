/** Reads a host call strictly: exactly `operationId`, `op` and `arguments`, none of which may say who it is for (07:203-212). */
import { foldKey } from '../../contract/case-fold.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { JsonObject } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { parseStrict } from '../../contract/strict-json.js';
import type { HostOpError } from './operation.js';

export interface HostCall {
  readonly operationId: string;
  readonly op: string;
  readonly arguments: JsonObject;
}

/** Names of identity and authority, compared without case, `-` and `_`. */
const IDENTITY = new Set(
  [
    ['actor', 'user', 'owner', 'principal', 'account', 'credential', 'admin', 'administrator'].flatMap((who) => [
      who,
      `${who}id`,
      `${who}name`,
    ]),
    ['isadmin', 'isadministrator', 'role', 'roles', 'scope', 'scopes', 'authority', 'grants', 'incarnation'],
    ['approved', 'approval', 'approvedby', 'confirmed', 'confirmation', 'confirmedby', 'onbehalfof', 'impersonate'],
  ].flat(),
);

const bad = (message: string): Either<HostOpError, never> => left({ code: 'bad_request', message });

/** Refuses `too_large` above `maxBytes` and `bad_request` for everything else that is wrong. */
export function readHostCall(body: Uint8Array, maxBytes: number): Either<HostOpError, HostCall> {
  const read = parseStrict(body, { maxBytes });
  if (isLeft(read))
    return read.left.reason === 'too_large'
      ? left({ code: 'too_large', message: `The call is over ${maxBytes} bytes.` })
      : bad(read.left.message);
  const call = read.right;
  if (!isObject(call)) return bad('The call must be a JSON object.');
  const { operationId, op, arguments: args } = call;
  if (Object.keys(call).some((key) => !['operationId', 'op', 'arguments'].includes(key)))
    return bad('The call has a field besides operationId, op and arguments.');
  if (typeof operationId !== 'string' || operationId.length > 128) return bad('operationId must be a text.');
  if (typeof op !== 'string' || op.length === 0 || op.length > 128) return bad('op must be the name of an operation.');
  if (!isObject(args)) return bad('arguments must be a JSON object.');
  const name = Object.keys(args).find((key) => IDENTITY.has(foldKey(key).replace(/[-_]/g, '')));
  if (name !== undefined) return bad('An argument names an identity or an authority. The host knows who this is for.');
  return right({ operationId, op, arguments: args });
}
