/** Lifecycle, libraries and apps of the owner, composed: the parts of the owner gateway that are about what is installed. */
import type { AddonLimits, AddonLimitsView } from '../../contract/addon-limits.js';
import type { AppEntry, DispatchResult, OperationStatus } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { hostOpsView } from '../../contract/host-op-admission.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { ContractRequest } from '../../contract/wire.js';
import { findInstalled } from '../../projections/installed.js';
import { type AdminCheck, requireAdministrator } from '../administrators.js';
import type { OwnerContext } from '../context.js';
import type { Caller, OperationProgress, WithRawArguments } from '../gateway.js';
import { LibraryAdministration } from '../library/administration.js';
import { decodeArguments, isManagementAction } from '../library/arguments.js';
import { Library, type LibraryOptions } from '../library/index.js';
import { Providers } from '../providers/index.js';
import { limitsView, outputOf, setLimits } from './addon-care.js';
import { listApps, NO_ICON, readIcon } from './apps.js';
import { OperationDesk, statusOf } from './desk.js';
import { ADDON_ID, OPERATION_ID } from './ids.js';
import { Management } from './management.js';
import { ProgressBoard } from './progress.js';
import { RuntimeSync } from './runtime-sync.js';
import { isLifecycleAction, type LifecycleAction, Submissions } from './submit.js';
import type { LifecycleParts } from './use-case.js';

export interface LifecycleOptions extends LibraryOptions {
  /** Mandatory: an owner without it does not start (06:246-248). */
  readonly administrators: AdminCheck;
}

/** What the list of apps and the pages about sources are made of. */
const SHOWN = /^(?:installation-|operation-|source-|libraries$)/;

export class Lifecycle {
  readonly library: Library;
  readonly administration: LibraryAdministration;
  readonly desk: OperationDesk;
  readonly providers: Providers;
  readonly sync: RuntimeSync;
  private readonly parts: LifecycleParts;
  private readonly submissions: Submissions;
  private readonly management: Management;
  private readonly progress = new ProgressBoard();
  private readonly stopped = new AbortController();
  private readonly listeners = new Set<() => void>();
  private reconciled = false;

  constructor(
    readonly context: OwnerContext,
    private readonly options: LifecycleOptions,
  ) {
    if (typeof options?.administrators !== 'function')
      throw new Error('the owner needs a check of administrators and does not start without one');
    this.library = new Library(context, options);
    this.administration = new LibraryAdministration({
      library: this.library,
      admit: this.admitAdministrator,
      changed: () => this.changed(),
      stopping: this.stopped.signal,
    });
    this.desk = new OperationDesk(context.store);
    this.providers = new Providers({ context, admit: (caller) => this.admit(caller) });
    this.sync = new RuntimeSync(context);
    const { library, sync, progress } = this;
    this.parts = { context, library, sync, progress, stopping: this.stopped.signal };
    this.submissions = new Submissions(this.parts, this.desk);
    this.management = new Management(this.parts, this.desk);
    context.store.journal.onDurable((records) => {
      if (records.some(({ stream }) => SHOWN.test(stream))) this.changed();
    });
    context.runtimes.onChange(() => this.changed());
  }

  /** Refuses everyone but an administrator, decided anew at every call; works before the owner is open. */
  readonly admitAdministrator = (caller: Caller): Promise<Either<Refusal, void>> =>
    requireAdministrator(this.options.administrators, caller);

  /** Opens the door after recovery settled what was in flight; until then every command is `503 starting` (06:274). */
  open(): void {
    this.reconciled = true;
  }

  /** True for the actions of `dispatch` that are handled here; the typed read is not one of them. */
  handles(action: string): boolean {
    return isLifecycleAction(action) || isManagementAction(action);
  }

  /**
   * Lifecycle and management actions of `POST /api/addons/dispatch`: administrators only, decided anew at every call,
   * duplicates included (06:255-256; 12:351-354). A lifecycle action goes on when the caller leaves.
   */
  async dispatch(
    caller: Caller,
    request: WithRawArguments<ContractRequest>,
    options: { respondAsync?: boolean } = {},
  ): Promise<Either<Refusal, DispatchResult>> {
    const { action, addonId = '', resourceId = '', operationId, generation, arguments: args } = request.value;
    const allowed = await this.admit(caller);
    if (isLeft(allowed)) return allowed;
    if (resourceId !== '') return left(refuse('invalid_request', 'This action takes no resource. Nothing changed.'));
    if (isLifecycleAction(action)) {
      const order = { action, addonId, operationId, generation: generation ?? 0, arguments: args };
      const done = await this.lifecycle(caller, order, options.respondAsync === true);
      return isLeft(done) ? done : right({ payload: this.withHostOps(addonId, done.right) as unknown as Json });
    }
    if (!isManagementAction(action))
      return left(refuse('invalid_request', 'There is no such action. Nothing changed.'));
    if (addonId !== '' && action !== 'catalog-details')
      return left(refuse('invalid_request', 'This action is about the library as a whole and takes no add-on.'));
    const payload =
      action === 'operation-status'
        ? await this.plainStatus(caller, args)
        : await this.management.run(caller, action, { addonId, operationId, args });
    return isLeft(payload) ? payload : right({ payload: payload.right });
  }

  private withHostOps(addonId: string, status: OperationStatus): OperationStatus {
    const installed = findInstalled(this.context.store.visible, addonId);
    const asked = installed && hostOpsView(installed.manifest, this.context.hostOps(addonId));
    return asked === undefined ? status : { ...status, hostOperations: asked };
  }

  /** The state of an operation, for the administrator who asked for it and nobody else (09, "Public API"). */
  async operationStatus(caller: Caller, operationId: string): Promise<Either<Refusal, OperationProgress>> {
    const allowed = await this.admit(caller);
    if (isLeft(allowed)) return allowed;
    const unknown = refuse('not_found', 'You have no operation with this id.');
    const found = this.desk.find(operationId, this.context.store.visible);
    if (found === 'foreign') return left(unknown);
    if (found.phase === 'none')
      return this.submissions.isRunning(operationId)
        ? left(refuse('busy', 'The operation waits for its turn. Ask again soon.', { operationId, retryAfter: 1 }))
        : left(unknown);
    if (found.userId !== caller.actor.userId || found.mode !== caller.actor.mode) return left(unknown);
    const progress = this.progress.get(operationId);
    return right({ ...statusOf(operationId, found), ...(progress === undefined ? {} : { progress }) });
  }

  async apps(caller: Caller): Promise<Either<Refusal, readonly AppEntry[]>> {
    return right(listApps(this.context, this.sync, await this.isAdministrator(caller)));
  }

  async icon(
    caller: Caller,
    addonId: string,
    generation: number,
  ): Promise<Either<Refusal, { bytes: Uint8Array; mediaType: string }>> {
    const icon = await readIcon(this.context, await this.isAdministrator(caller), addonId, generation);
    return isLeft(icon) ? left(NO_ICON) : icon;
  }

  /** The typed `enable` with the generation the caller saw, which must be the installed one (12:55-67). */
  startApp(caller: Caller, addonId: string, body: { operationId: string; generation: number }): AppAnswer {
    return this.switchApp(caller, 'enable', addonId, body);
  }

  /** The typed `disable`, likewise; drains the process and keeps data. */
  stopApp(caller: Caller, addonId: string, body: { operationId: string; generation: number }): AppAnswer {
    return this.switchApp(caller, 'disable', addonId, body);
  }

  /** What the add-on wrote last, for administrators: an add-on may print anything (07, "Managed runtime"). */
  async addonLog(caller: Caller, addonId: string): Promise<Either<Refusal, { readonly lines: readonly string[] }>> {
    const allowed = await requireAdministrator(this.options.administrators, caller);
    return isLeft(allowed) ? allowed : outputOf(this.context, addonId);
  }

  async addonLimits(caller: Caller, addonId: string): Promise<Either<Refusal, AddonLimitsView>> {
    const allowed = await requireAdministrator(this.options.administrators, caller);
    return isLeft(allowed) ? allowed : limitsView(this.context, addonId);
  }

  async limitAddon(caller: Caller, addonId: string, limits: AddonLimits): Promise<Either<Refusal, AddonLimitsView>> {
    const allowed = await this.admit(caller);
    return isLeft(allowed) ? allowed : setLimits(this.context, caller, addonId, limits);
  }

  /** Called when the list of apps may have changed; the returned function ends the subscription. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Reads every library in use, in the background; open pages hear of each (06:293-299). */
  openLibrary(): Promise<void> {
    return this.library.refreshAll(this.stopped.signal, () => this.changed());
  }

  /** Ends downloads and refreshes, and waits for the operation that runs; processes are ended by their supervisor. */
  async shutdown(): Promise<void> {
    this.stopped.abort();
    await this.submissions.alone(async () => undefined);
  }

  private async switchApp(
    caller: Caller,
    action: 'enable' | 'disable',
    addonId: string,
    body: { operationId: string; generation: number },
  ): AppAnswer {
    const allowed = await this.admit(caller);
    if (isLeft(allowed)) return allowed;
    if (!(Number.isSafeInteger(body.generation) && body.generation >= 1))
      return left(refuse('invalid_request', 'The generation you saw in the list is needed. Nothing changed.'));
    return this.lifecycle(caller, { action, addonId, ...body, arguments: {} }, false);
  }

  private async lifecycle(
    caller: Caller,
    order: { action: LifecycleAction; addonId: string; operationId: string; generation: number; arguments: JsonObject },
    early: boolean,
  ): AppAnswer {
    if (!OPERATION_ID.test(order.operationId ?? '') || !ADDON_ID.test(order.addonId))
      return left(refuse('invalid_request', 'The add-on id or the operation id is malformed. Nothing changed.'));
    if (!(Number.isSafeInteger(order.generation) && order.generation >= 0))
      return left(refuse('invalid_request', 'The generation is malformed. Nothing changed.'));
    return this.submissions.submit(caller, order, early);
  }

  /** The status as the typed action answers it: without progress, which is for the stream only. */
  private async plainStatus(caller: Caller, given: JsonObject): Promise<Either<Refusal, Json>> {
    const args = decodeArguments('operation-status', given);
    if (isLeft(args)) return args;
    const status = await this.operationStatus(caller, args.right.operationId);
    if (isLeft(status)) return status;
    const { progress, ...plain } = status.right;
    return right(plain as unknown as Json);
  }

  private async admit(caller: Caller): Promise<Either<Refusal, void>> {
    const allowed = await requireAdministrator(this.options.administrators, caller);
    if (isLeft(allowed) || this.reconciled) return allowed;
    return left(refuse('starting', 'The server is still settling what its last run left. Nothing changed. Try again.'));
  }

  private async isAdministrator(caller: Caller): Promise<boolean> {
    const answer = await this.options.administrators(caller);
    // A check that cannot answer shows the reader's view (12:17-19).
    return !isLeft(answer) && answer.right;
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

type AppAnswer = Promise<Either<Refusal, OperationStatus>>;

/** The lifecycle part of the owner gateway. Throws when no check of administrators is given. */
export const createLifecycle = (context: OwnerContext, options: LifecycleOptions): Lifecycle =>
  new Lifecycle(context, options);
