/** Decides one call of an add-on to the host: default refuse, and every check is made anew at every call (07:178-250). */
import type { Actor } from '../../contract/actor.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type HostOpPolicy, mayCall } from '../../contract/host-op-admission.js';
import type { Limits } from '../../contract/limits.js';
import type { Envelope, Scope } from '../../contract/wire.js';
import type { Clock, HostAnswer, HostBroker, HostCaller, Log } from '../ports.js';
import {
  HOST_OP_STATUS,
  type HostOpError,
  type HostOperations,
  type HostOpResult,
  type RequestedOperation,
} from './operation.js';
import { type HostCall, readHostCall } from './request.js';
import { RunOnce } from './run-once.js';

export interface BrokerOptions {
  readonly operations: HostOperations;
  readonly policyOf: (addonId: string) => HostOpPolicy;
  /** Whether the actor holds a feature now; the local owner holds every one (07:213-215). Rejects when that cannot be told. */
  readonly holds: (actor: Actor, feature: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
}

/** Under which live requests an operation of a scope may run (07:207-209). */
const UNDER: Readonly<Record<RequestedOperation['scope'], readonly Scope[]>> = {
  read: ['read', 'preview', 'apply', 'act'],
  apply: ['apply'],
  act: ['act'],
};

const refused = (code: HostOpError['code'], message: string): Either<HostOpError, never> => left({ code, message });

export class Broker implements HostBroker {
  private readonly once = new RunOnce();

  constructor(private readonly options: BrokerOptions) {}

  /** Only an add-on that the administrator's setting names gets the channel at all (07:188-200). */
  offers(addonId: string): boolean {
    return this.options.policyOf(addonId).grants.length > 0;
  }

  async call(caller: HostCaller, body: Uint8Array): Promise<HostAnswer> {
    const result = await this.decide(caller, body).catch((fault: unknown) => this.broken(caller, fault));
    if (isLeft(result)) {
      const { code, message } = result.left;
      return { status: HOST_OP_STATUS[code], body: { error: { code, message } } };
    }
    return { status: 200, body: { result: result.right } };
  }

  /** The incarnation has ended, and what it was told once with it. */
  forget(incarnation: string): void {
    this.once.forget(incarnation);
  }

  private broken({ addonId }: HostCaller, fault: unknown): HostOpResult {
    this.options.log.error({ addonId, fault: String(fault) }, 'a host operation failed');
    return refused('unavailable', 'The operation met a fault in the host.');
  }

  private async decide(caller: HostCaller, body: Uint8Array): Promise<HostOpResult> {
    const read = readHostCall(body, this.options.limits.payloadBytes);
    if (isLeft(read)) return read;
    const call = read.right;
    const { addonId } = caller;
    const operation = this.options.operations.find(call.op);
    if (operation === undefined) return refused('unknown_op', 'The host has no such operation.');
    if (!mayCall(this.options.policyOf(addonId), call.op))
      return refused('scope', 'The host setting does not grant this operation to the add-on.');
    if (operation.scope === 'inbound') return operation.run({ addonId, arguments: call.arguments });
    const envelope = this.authority(operation, caller.live(call.operationId));
    if (isLeft(envelope)) return envelope;
    const { actor } = envelope.right.authority;
    if (operation.feature !== undefined && !(await this.holds(actor, operation.feature)))
      return refused('feature', 'The person this request is for may not use that feature.');
    const run = () => operation.run({ addonId, actor, envelope: envelope.right, arguments: call.arguments });
    return operation.idempotent === true ? this.once.run(caller.incarnation, keyOf(call), run) : run();
  }

  /** The envelope the owner issued for the live request that the call names, if it covers the operation. */
  private authority(operation: RequestedOperation, live: readonly Envelope[]): Either<HostOpError, Envelope> {
    const now = this.options.clock.now().getTime();
    const valid = live.filter(({ authority }) => Date.parse(authority.expiresAt) > now);
    if (valid.length === 0) return refused('no_live_operation', 'The host is serving no such request of this add-on.');
    const under = valid.find(({ authority }) => UNDER[operation.scope].includes(authority.scope));
    return under === undefined
      ? refused('scope', 'The request that is being served does not allow this operation.')
      : right(under);
  }

  private holds(actor: Actor, feature: string): Promise<boolean> {
    return actor.mode === 'local-owner' ? Promise.resolve(true) : this.options.holds(actor, feature);
  }
}

const keyOf = ({ operationId, op, arguments: args }: HostCall) => ({
  key: JSON.stringify([operationId, op]),
  binding: canonicalJson(args),
});
