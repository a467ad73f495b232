/** What a host operation is, how it is refused, and the list of those that are wired (07:178-250). */
import type { Actor } from '../../contract/actor.js';
import type { Either } from '../../contract/fp.js';
import { HOST_OPERATIONS } from '../../contract/host-vocabulary.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { Envelope } from '../../contract/wire.js';

/** Every code there is, with its status (07:221-223; decisions on chapter 07). */
export const HOST_OP_STATUS = {
  no_live_operation: 401,
  scope: 403,
  feature: 403,
  unknown_op: 404,
  not_found: 404,
  bad_request: 400,
  too_large: 413,
  conflict: 409,
  unavailable: 503,
} as const;
export type HostOpCode = keyof typeof HOST_OP_STATUS;

export interface HostOpError {
  readonly code: HostOpCode;
  readonly message: string;
}

export type HostOpResult = Either<HostOpError, Json>;

/** What runs under a request of a person: as the actor of the envelope that the owner issued, and nobody else (07:210-211). */
export interface RequestedOperation {
  readonly name: string;
  readonly scope: 'read' | 'apply' | 'act';
  /** The feature the actor must hold, as the route for the same thing asks. */
  readonly feature?: string;
  /** Runs once for one operation id; a repeat gets the first result (07:216-217). */
  readonly idempotent?: true;
  run(call: {
    readonly addonId: string;
    readonly actor: Actor;
    readonly envelope: Envelope;
    readonly arguments: JsonObject;
  }): Promise<HostOpResult>;
}

/** What comes from outside, with no person behind it: it finds its authority in the records of the host (07:228-250). */
export interface InboundOperation {
  readonly name: string;
  readonly scope: 'inbound';
  run(call: { readonly addonId: string; readonly arguments: JsonObject }): Promise<HostOpResult>;
}

export type HostOperation = RequestedOperation | InboundOperation;

/** The scope is part of the registration; no field of a call changes it. */
export class HostOperations {
  private readonly wired = new Map<string, HostOperation>();

  /** Throws for a name the host does not list or that is wired already: both are faults of the program. */
  register(operation: HostOperation): void {
    if (!HOST_OPERATIONS.has(operation.name)) throw new Error(`${operation.name} is no listed host operation`);
    if (this.wired.has(operation.name)) throw new Error(`${operation.name} is wired twice`);
    this.wired.set(operation.name, operation);
  }

  find(name: string): HostOperation | undefined {
    return this.wired.get(name);
  }
}
