/** What a route handler gets: the Hono context, the caller, and the gateway. */
import type { Context } from 'hono';
import type { Caller, OwnerGateway } from '../commands/gateway.js';
import type { Clock, Ids, Log } from '../commands/ports.js';
import { type Actor, LOCAL_OWNER } from '../contract/actor.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { ConfirmCodes } from './guard/confirm-code.js';
import { surfaceOf } from './guard/surface.js';
import type { StreamSlots } from './streams.js';

export interface HttpDependencies {
  readonly gateway: OwnerGateway;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly streams: StreamSlots;
  /** Of the program, for the API description. */
  readonly version: string;
  readonly codes?: ConfirmCodes;
}

export interface Call {
  readonly context: Context;
  readonly caller: Caller;
  readonly deps: HttpDependencies;
}

/** Who calls in local-owner mode: always the one principal, named after the program that sent the request. */
export function callerOf(context: Context): Caller {
  const actor: Actor = LOCAL_OWNER;
  return { actor, via: { kind: 'local', name: programName(context) }, administrator: true };
}

/** `browser`, or the product token of the User-Agent (`curl`); the caller's own word, shown as such. */
function programName(context: Context): string {
  if (context.req.header('sec-fetch-site') !== undefined) return 'browser';
  return /^[A-Za-z0-9._-]{1,32}/.exec(context.req.header('user-agent') ?? '')?.[0] ?? 'unknown program';
}

/** The denial for everyone but an administrator, before a body is read; the owner decides again. */
export function refusedReader({ caller }: Call): Refusal | undefined {
  return caller.administrator ? undefined : refuse('denied', 'Only an administrator may do this. Nothing changed.');
}

/** The caller with the confirmation surface, or the denial when the request did not come over one. */
export function ownSession(call: Call): Either<Refusal, Caller> {
  const surface = surfaceOf(call.context, call.deps.codes);
  return isLeft(surface) ? left(surface.left) : right({ ...call.caller, surface: surface.right });
}
