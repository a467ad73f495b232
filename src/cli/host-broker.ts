/** The operations of this host, and who may call them. */
import { Broker } from '../commands/host-operations/broker.js';
import { HostOperations } from '../commands/host-operations/operation.js';
import type { HostBroker, Log } from '../commands/ports.js';
import type { HostOpPolicy } from '../contract/host-op-admission.js';
import { DEFAULT_LIMITS } from '../contract/limits.js';
import { systemClock } from './system.js';

/**
 * Every service that becomes an operation is wired here; none is yet, so that every call is refused (07:225-226). A
 * feature is held by nobody but the local owner, since there are no accounts.
 */
export const createHostBroker = (policyOf: (addonId: string) => HostOpPolicy, log: Log): HostBroker =>
  new Broker({
    operations: new HostOperations(),
    policyOf,
    holds: async () => false,
    clock: systemClock,
    limits: DEFAULT_LIMITS,
    log,
  });
