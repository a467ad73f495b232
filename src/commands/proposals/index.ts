/** The gateway of changes: everything a caller can do with proposals, resources and reads, in one object. */
import type { FindInstalled } from '../../projections/installed.js';
import { act } from '../actions/act.js';
import type { OwnerContext } from '../context.js';
import type { Answer, Caller, OwnerGateway, WithRawArguments } from '../gateway.js';
import type { ContractRequest, Result } from '../ports.js';
import { typedRead } from '../reads/typed-read.js';
import { createResource } from '../resources/create.js';
import { listResources } from '../resources/list.js';
import { cancel } from './cancel.js';
import { type ChangeListener, Changes } from './changes.js';
import { confirm } from './confirm.js';
import { createDesk, type Desk } from './desk.js';
import { Housekeeping } from './housekeeping.js';
import { propose } from './propose.js';
import { list, read, unresolved } from './read.js';
import { reconcile } from './reconcile.js';
import { resolve } from './resolve.js';

type Shared = Pick<
  OwnerGateway,
  | 'propose'
  | 'proposal'
  | 'proposals'
  | 'confirm'
  | 'cancel'
  | 'reconcile'
  | 'resolve'
  | 'unresolved'
  | 'resources'
  | 'createResource'
>;

export interface Proposals extends Shared {
  /** The `read` action of dispatch. */
  read(caller: Caller, request: WithRawArguments<ContractRequest>, signal?: AbortSignal): Answer<Result>;
  /** The `act` action of dispatch, for chats. */
  act(caller: Caller, request: WithRawArguments<ContractRequest>, signal?: AbortSignal): Answer<Result>;
  onChange(listener: ChangeListener): () => void;
  /** Starts timers; call it after recovery (`recovery/reconcile-proposals.ts`) and before serving. */
  start(): void;
  /** Stops timers and waits for background work; calls of callers run to their end on their own. */
  close(): Promise<void>;
  readonly desk: Desk;
  readonly housekeeping: Housekeeping;
}

export function createProposals(context: OwnerContext, findInstalled: FindInstalled): Proposals {
  const desk = createDesk(context, findInstalled);
  const housekeeping = new Housekeeping(desk);
  const changes = new Changes(context.store);
  return {
    propose: (caller, request) => propose(desk, caller, request),
    proposal: (caller, id) => read(desk, caller, id),
    proposals: (caller, query) => list(desk, caller, query),
    confirm: (caller, id, body) => confirm(desk, caller, id, body),
    cancel: (caller, id) => cancel(desk, caller, id),
    reconcile: (caller, id) => reconcile(desk, caller, id),
    resolve: (caller, id, body) => resolve(desk, caller, id, body),
    unresolved: (caller, resourceId) => unresolved(desk, caller, resourceId),
    resources: (caller, addonId) => listResources(desk, caller, addonId),
    createResource: (caller, body) => createResource(desk, caller, body),
    read: (caller, request, signal) => typedRead(desk, caller, request, signal),
    act: (caller, request, signal) => act(desk, caller, request, signal),
    onChange: (listener) => changes.on(listener),
    start: () => housekeeping.start(),
    close: () => housekeeping.close(),
    desk,
    housekeeping,
  };
}
