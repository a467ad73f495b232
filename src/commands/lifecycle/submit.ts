/**
 * The one entrance of lifecycle actions: who asks, what an operation id is bound to, one at a time, and what a repeat
 * is answered with (06:255-278; 05:163-181, 300-306; wire, "Routes").
 */
import type { OperationAction, StartedOperation } from '../../aggregates/operation.js';
import type { OperationStatus } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { findInstalled } from '../../projections/installed.js';
import type { Caller } from '../gateway.js';
import { Turn } from '../turn.js';
import {
  type Bound,
  commandDigest,
  isBoundTo,
  type OperationDesk,
  operationConflict,
  outcomeUnknown,
  recordedFailure,
  statusOf,
} from './desk.js';
import { execute } from './execute.js';
import { install } from './install.js';
import { finish, unfinished } from './reconcile.js';
import { disable, enable, uninstall } from './switching.js';
import { upgrade } from './upgrade.js';
import type { LifecycleParts, UseCase } from './use-case.js';

const USE_CASES = { install, upgrade, enable, disable, uninstall } as const;

export type LifecycleAction = keyof typeof USE_CASES;

export const isLifecycleAction = (action: string): action is LifecycleAction => Object.hasOwn(USE_CASES, action);

export interface LifecycleRequest {
  readonly action: LifecycleAction;
  readonly addonId: string;
  readonly operationId: string;
  /** What the caller saw; 0 is no precondition (12:72-73). */
  readonly generation: number;
  readonly arguments: JsonObject;
}

type Outcome = Either<Refusal, OperationStatus>;

interface Running extends Bound {
  readonly outcome: Promise<Outcome>;
  /** Resolves when the intent is on disk, or with the outcome when it never got there. */
  readonly accepted: Promise<Outcome>;
}

const WAITING = 64;

/** Management actions, of which upgrade is one, deny an unknown field (12:351-354). */
const SELECTION: readonly string[] = ['sourceId', 'version', 'channel'];

export class Submissions {
  private readonly turn = new Turn(WAITING);
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly parts: LifecycleParts,
    private readonly desk: OperationDesk,
  ) {}

  /** Runs or repeats an action; `early` answers as soon as the intent is on disk. The caller was checked already. */
  async submit(caller: Caller, request: LifecycleRequest, early: boolean): Promise<Outcome> {
    const useCase = USE_CASES[request.action] as UseCase<unknown>;
    if (request.action === 'upgrade' && Object.keys(request.arguments).some((field) => !SELECTION.includes(field)))
      return left(refuse('denied', 'The arguments have a field that this action does not take. Nothing changed.'));
    const decoded = useCase.arguments.decode(request.arguments);
    if (isLeft(decoded))
      return left(refuse('invalid_request', 'The arguments do not fit the action. Nothing changed.'));
    const { action, addonId, generation } = request;
    const digest = commandDigest({ action, addonId, generation, arguments: request.arguments });
    if (isLeft(digest)) return digest;
    const bound: Bound = { actor: caller.actor, digest: digest.right };
    const current = this.running.get(request.operationId);
    if (current === undefined) return this.answer(this.start(request, bound, useCase, decoded.right), early);
    const same = isBoundTo({ ...current.actor, digest: current.digest }, bound);
    return same ? this.answer(current, early) : left(operationConflict(request.operationId));
  }

  /** True while the operation runs or waits for its turn. */
  isRunning(operationId: string): boolean {
    return this.running.has(operationId);
  }

  /** Runs a task in the turn of the lifecycle commands. */
  alone<A>(task: () => Promise<A>): Promise<Either<Refusal, A>> {
    return this.turn.run(task);
  }

  private answer(running: Running, early: boolean): Promise<Outcome> {
    return early ? running.accepted : running.outcome;
  }

  /** From here on nothing hangs on the caller: a cut connection cancels nothing. */
  private start(request: LifecycleRequest, bound: Bound, useCase: UseCase<unknown>, args: unknown): Running {
    const { operationId } = request;
    let onIntent: () => void = () => undefined;
    const intent = new Promise<void>((resolve) => {
      onIntent = resolve;
    });
    const outcome = this.perform(request, bound, useCase, args, onIntent)
      .catch((fault: unknown) => this.broken(request, fault))
      .finally(() => {
        this.running.delete(operationId);
        this.parts.progress.clear(operationId);
      });
    const recorded = intent.then((): Outcome => this.recorded(operationId));
    const running = { ...bound, outcome, accepted: Promise.race([outcome, recorded]) };
    this.running.set(operationId, running);
    return running;
  }

  private broken(request: LifecycleRequest, fault: unknown): Outcome {
    const { action, addonId, operationId } = request;
    this.parts.context.log.error({ action, addonId, operationId, fault: String(fault) }, 'Addon operation failed');
    const nothing = this.parts.context.store.journal.operation(operationId) === undefined;
    return nothing
      ? left(refuse('unavailable', 'The operation met an internal fault. Nothing changed.', { operationId }))
      : left(outcomeUnknown(operationId, 'The operation met an internal fault. Look it up with operation-status.'));
  }

  private recorded(operationId: string): Outcome {
    const found = this.desk.find(operationId, this.parts.context.store.visible);
    return found === 'foreign' || found.phase === 'none'
      ? left(outcomeUnknown(operationId, 'The operation was accepted but cannot be read back. Look it up.'))
      : right(statusOf(operationId, found));
  }

  private async perform(
    request: LifecycleRequest,
    bound: Bound,
    useCase: UseCase<unknown>,
    args: unknown,
    onIntent: () => void,
  ): Promise<Outcome> {
    const taken = await this.turn.run(async (): Promise<Outcome | 'completed'> => {
      if (this.parts.stopping.aborted)
        return left(refuse('unavailable', 'The server is shutting down. Nothing changed.'));
      const settled = await this.settleLeftovers();
      if (isLeft(settled)) return settled;
      const found = await this.desk.lookup(request.operationId);
      if (found === 'foreign') return left(operationConflict(request.operationId));
      if (found.phase !== 'none') {
        onIntent();
        return this.repeat(request.operationId, found, bound);
      }
      const precondition = this.precondition(request);
      if (isLeft(precondition)) return precondition;
      const { actor, digest } = bound;
      const done = await execute(this.parts, this.desk, {
        ...request,
        arguments: args,
        actor,
        digest,
        useCase,
        onIntent,
      });
      return isLeft(done) ? done : 'completed';
    });
    if (isLeft(taken)) return taken;
    return taken.right === 'completed' ? this.follow(request.operationId, request.addonId) : taken.right;
  }

  /** The recorded outcome of an id that was used before, if actor and command are the same. */
  private repeat(operationId: string, found: StartedOperation, bound: Bound): Outcome | 'completed' {
    if (!isBoundTo(found, bound)) return left(operationConflict(operationId));
    if (found.phase === 'failed') return left(recordedFailure(operationId, found));
    if (found.phase === 'completed') return 'completed';
    return left(outcomeUnknown(operationId, 'The operation is not finished yet. Look it up with operation-status.'));
  }

  /** Denies before anything is recorded when the caller saw another generation (12:63-66). */
  private precondition(request: LifecycleRequest): Either<Refusal, void> {
    if (request.generation === 0) return right(undefined);
    const installed = findInstalled(this.parts.context.store.ahead, request.addonId);
    return installed?.generation === request.generation
      ? right(undefined)
      : left(
          refuse(
            'denied',
            'The add-on is not installed in the generation you saw. Nothing changed. Read the list again.',
          ),
        );
  }

  /** The process follows what is desired now, which may be more than this operation asked for (decisions, 06 to 10, 6). */
  private async follow(operationId: string, addonId: string): Promise<Outcome> {
    const brought = await this.parts.sync.bring(addonId);
    if (!isLeft(brought)) return this.recorded(operationId);
    this.parts.context.log.warn({ addonId, operationId, reason: brought.left.reason }, 'A process did not follow');
    return left(
      outcomeUnknown(
        operationId,
        'The change is recorded, but the process of the add-on did not follow it. Read the list of add-ons for its state.',
      ),
    );
  }

  /** Storage that failed in the middle of an operation blocks every command until that operation is settled (06:277). */
  private async settleLeftovers(): Promise<Either<Refusal, void>> {
    const { context } = this.parts;
    for (const operationId of unfinished({ context, desk: this.desk }, (id) => this.refreshing(id))) {
      const done = await finish({ context, desk: this.desk }, operationId);
      if (isLeft(done)) return done;
      if (done.right !== '') void this.parts.sync.bring(done.right);
    }
    return right(undefined);
  }

  /** A refresh of a library runs outside of the turn and is no leftover. */
  private refreshing(operationId: string): boolean {
    const found = this.desk.find(operationId, this.parts.context.store.ahead);
    return found !== 'foreign' && found.phase !== 'none' && isLibraryAction(found.action);
  }
}

const isLibraryAction = (action: OperationAction): boolean =>
  action === 'catalog-source-refresh' || action === 'catalog-source-save';
