/**
 * Brings processes in line with the durable desired state. It runs after an operation is completed and outside the
 * queue of lifecycle commands, so that an add-on that hangs at its start delays nobody else (07:18-22).
 */
import type { Generation } from '../../aggregates/installation.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { hostOpsRefusal } from '../../contract/host-op-admission.js';
import type { JsonObject } from '../../contract/json.js';
import { findInstalled, manifestOfGeneration } from '../../projections/installed.js';
import { installationKind } from '../../projections/kinds/installation.js';
import { limitsKind } from '../../projections/kinds/limits.js';
import type { OwnerContext } from '../context.js';
import type { LaunchSpec } from '../ports.js';
import { dropCandidateData } from './candidate-data.js';
import { dataDirectory, ensureDataDirectory } from './data-directory.js';

export type Started = Either<{ readonly reason: string }, void>;

export class RuntimeSync {
  private readonly chains = new Map<string, Promise<unknown>>();
  /** Why an enabled add-on is not serving, when that was found before its process was launched. */
  private readonly reasons = new Map<string, string>();

  /** Add-ons whose start was announced and has not begun. */
  private readonly expected = new Set<string>();

  constructor(private readonly context: OwnerContext) {}

  /** Says that these add-ons will be started soon, so that nobody takes them for failed meanwhile. */
  expect(addonIds: readonly string[]): void {
    for (const addonId of addonIds) this.expected.add(addonId);
  }

  /**
   * Start what is desired to run, stop what is not; left says why the process is not in the desired state. Never
   * rejects, since nobody waits for most of these, and a fault of one add-on must not end the owner.
   */
  async bring(addonId: string): Promise<Started> {
    try {
      return await this.follow(addonId);
    } catch (fault) {
      this.context.log.error({ addonId, fault: String(fault) }, 'A process could not be brought in line');
      return left({ reason: 'the owner met an internal fault' });
    }
  }

  private async follow(addonId: string): Promise<Started> {
    // A start that hangs must not hold up the stop that ends it.
    if (this.chains.has(addonId) && this.desired(addonId) === undefined) await this.context.runtimes.stop(addonId);
    return this.alone(addonId, async () => {
      this.expected.delete(addonId);
      if (findInstalled(this.context.store.visible, addonId)?.changing === true) return right(undefined);
      const desired = this.desired(addonId);
      return desired === undefined ? this.context.runtimes.stop(addonId) : this.launch(addonId, desired);
    });
  }

  /**
   * Proves a generation that is not installed yet: the running one is stopped, `mayStart` is asked once nothing runs
   * any more, and the candidate is started. On any failure the candidate is stopped and the desired one started again.
   */
  async prove(addonId: string, candidate: Generation, mayStart: () => Promise<Started>): Promise<Started> {
    return this.alone(addonId, async () => {
      let proved = await this.context.runtimes.stop(addonId);
      if (!isLeft(proved)) proved = await mayStart();
      if (!isLeft(proved)) proved = await this.launch(addonId, candidate);
      if (isLeft(proved)) await this.back(addonId);
      return proved;
    });
  }

  /** Takes a proved candidate back, since the journal could not name it: it ends, and the desired one starts again. */
  async retreat(addonId: string): Promise<void> {
    await this.alone(addonId, () => this.back(addonId));
  }

  private async back(addonId: string): Promise<void> {
    const ended = await this.context.runtimes.stop(addonId);
    // A commit that failed may have named the candidate after all: which generation runs is for the next start to say.
    if (this.context.store.journal.fenced() !== undefined) return;
    const former = this.desired(addonId);
    const back = isLeft(ended) || former === undefined ? ended : await this.launch(addonId, former);
    if (isLeft(back))
      this.context.log.error({ addonId, reason: back.left.reason }, 'The former generation did not start again');
  }

  /** True while a start or stop of the add-on is under way or waiting. */
  busy(addonId: string): boolean {
    return this.chains.has(addonId) || this.expected.has(addonId);
  }

  reason(addonId: string): string | undefined {
    return this.reasons.get(addonId);
  }

  /** The generation that should run: installed and enabled (06:262-266). */
  private desired(addonId: string): Generation | undefined {
    const state = this.context.store.visible.get(installationKind, addonId);
    return state.status === 'installed' && state.enabled ? state.current : undefined;
  }

  private async launch(addonId: string, generation: Generation): Promise<Started> {
    // A journal that failed may hold another desired state than this owner knows of (07:98-103).
    if (this.context.store.journal.fenced() !== undefined)
      return left({ reason: 'the storage failed; nothing is started until the server is restarted' });
    this.reasons.delete(addonId);
    const spec = launchSpec(this.context, addonId, generation);
    // A grant may have been taken away since the package was admitted (07:157-162).
    const lacking = hostOpsRefusal(manifestOfGeneration(generation), this.context.hostOps(addonId));
    let ready: Started = lacking === undefined ? await ensureDataDirectory(spec.dataDir) : left({ reason: lacking });
    if (!isLeft(ready)) ready = await dropCandidateData(this.context, addonId);
    const started = isLeft(ready) ? ready : await this.context.runtimes.start(spec);
    if (isLeft(started)) this.reasons.set(addonId, started.left.reason);
    return started;
  }

  /** Starts and stops of one add-on never overlap. */
  private async alone<A>(addonId: string, task: () => Promise<A>): Promise<A> {
    const mine = (this.chains.get(addonId) ?? Promise.resolve()).then(task);
    const tail = mine.catch(() => undefined);
    this.chains.set(addonId, tail);
    try {
      return await mine;
    } finally {
      if (this.chains.get(addonId) === tail) this.chains.delete(addonId);
    }
  }
}

/** What the supervisor is told to run; the package is hashed against its receipt before every launch. */
export function launchSpec(context: OwnerContext, addonId: string, generation: Generation): LaunchSpec {
  const manifest = manifestOfGeneration(generation);
  return {
    addonId,
    version: generation.version,
    generation: generation.generation,
    packageDir: context.packages.absolute(generation.directory),
    executable: manifest.executable,
    dataDir: dataDirectory(context.dataRoot, addonId),
    capabilities: (manifest.raw.capabilities ?? {}) as JsonObject,
    verify: () => context.packages.verify(generation.directory),
    limits: () => context.store.visible.get(limitsKind, addonId),
  };
}
