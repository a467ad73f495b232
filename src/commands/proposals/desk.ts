/** What every use case of the gateway of changes shares in one process. */
import { type Either, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { FindInstalled } from '../../projections/installed.js';
import { Turns } from '../admission.js';
import type { OwnerContext } from '../context.js';
import type { RuntimeClient } from '../ports.js';
import type { Outcome } from './outcome.js';

/** Lookups go on for the apply timeout and this long after the hand-over (10:218-222). */
const LOOKUP_WINDOW_MS = 5 * 60_000;

/** A read waits this long for its turn before it is told to come again. */
const READ_WAIT_MS = 5_000;

export interface Desk {
  readonly context: OwnerContext;
  readonly findInstalled: FindInstalled;
  /** One write to a resource at a time; the wait is bounded by what one apply may take. */
  readonly writes: Turns;
  /** As many reads of one add-on as it may have calls; the others wait a moment for their turn. */
  readonly reads: Turns;
  /** Action tools may run for half an hour; one call of each add-on is kept free of them. */
  readonly acts: Turns;
  /** Calls that no person waits for, and listings: at most half of an add-on's concurrency. */
  readonly background: Turns;
  /** Proposals whose apply runs in this process right now: `executing` without being here means the outcome was lost. */
  readonly live: Set<string>;
  /** Reservations whose creation runs in this process right now; no reconciliation touches them (10:137-138). */
  readonly creating: Set<string>;
  /** Until when (ms) a creation that was handed over may still arrive, so that "does not exist" proves nothing. */
  readonly uncertainUntil: Map<string, number>;
  /** Outcomes that are known but could not be recorded yet, for example on a full disk; recorded at the next lookup. */
  readonly unrecorded: Map<string, Outcome>;
  /** Told of a proposal whose outcome could not be recorded, so that lookups begin. */
  readonly onUnrecorded: Set<(id: string) => void>;
}

export function createDesk(context: OwnerContext, findInstalled: FindInstalled): Desk {
  const { clock, limits } = context;
  return {
    context,
    findInstalled,
    writes: new Turns(clock, { width: 1, waiting: 16, waitMs: limits.applyTimeoutMs }),
    reads: new Turns(clock, { width: limits.concurrency, waiting: 256, waitMs: READ_WAIT_MS }),
    acts: new Turns(clock, { width: Math.max(1, limits.concurrency - 1), waiting: 16, waitMs: READ_WAIT_MS }),
    background: new Turns(clock, {
      width: Math.max(1, Math.floor(limits.concurrency / 2)),
      waiting: 2_048,
      waitMs: limits.readTimeoutMs,
    }),
    live: new Set(),
    creating: new Set(),
    uncertainUntil: new Map(),
    unrecorded: new Map(),
    onUnrecorded: new Set(),
  };
}

export const nowOf = (desk: Desk): string => desk.context.clock.now().toISOString();
export const millisOf = (desk: Desk): number => desk.context.clock.now().getTime();
export const lookupWindowMs = (desk: Desk): number => desk.context.limits.applyTimeoutMs + LOOKUP_WINDOW_MS;

/** Refuses with `fenced` when no command is taken any more, before anything is sent anywhere. */
export function ready(desk: Desk): Either<Refusal, void> {
  if (desk.context.store.journal.fenced() === undefined) return right(undefined);
  return left(
    refuse(
      'fenced',
      'The journal stopped taking events after a storage fault. Nothing changed. An operator must restart the server.',
    ),
  );
}

/** The ready process of the add-on's current generation, or undefined when it does not serve. */
export function clientOf(desk: Desk, addonId: string): RuntimeClient | undefined {
  const installed = desk.findInstalled(desk.context.store.visible, addonId);
  if (installed === undefined) return undefined;
  const current = desk.context.runtimes.current(addonId, installed.generation);
  return current._tag === 'Right' ? current.right : undefined;
}

/** The owner could not serve this call, and this call sent nothing that could change anything (10:186). */
export const proposalUnavailable = (operationId: string, why: string): Refusal =>
  refuse('proposal_unavailable', `${why} Nothing was applied by this call. Read the proposal, then repeat the call.`, {
    operationId,
  });

/** The add-on may have got the call (10:187). */
export const outcomeUnknown = (operationId: string): Refusal =>
  refuse(
    'outcome_unknown',
    'The add-on may or may not have applied the change. It is not submitted again; look its receipt up with reconcile, or wait.',
    { operationId },
  );
