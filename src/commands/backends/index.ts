/** Backends of libraries: installed as a job whose steps can be followed, and checked for other builds (04:310-375). */

import type { BackendJob, BackendRequest } from '../../contract/backends.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { Caller } from '../gateway.js';
import { type BackendUpdate, backendUpdate, type ChosenBackend } from '../library/backends.js';
import type { Library } from '../library/index.js';
import type { BackendStore, Ids, Log } from '../ports.js';

export interface BackendsParts {
  readonly library: Library;
  readonly store: BackendStore;
  readonly ids: Ids;
  readonly log: Log;
  readonly host: { readonly os: string; readonly arch: string };
  /** What this host can do, the best first. */
  readonly capabilities: readonly string[];
  /** `--require-backend-integrity`: nothing of a library that requires no signature. */
  readonly requireIntegrity: boolean;
  readonly admit: (caller: Caller) => Promise<Either<Refusal, void>>;
}

type Answer<A> = Promise<Either<Refusal, A>>;

/** Finished jobs that can still be looked at. */
const MOST_JOBS = 100;

export class Backends {
  private readonly jobs = new Map<string, BackendJob>();
  /** Names that are being installed. */
  private readonly busy = new Set<string>();
  private readonly stopped = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly parts: BackendsParts) {}

  /** Begins a job. 409 while the same backend is being installed; every other refusal is the job's. */
  async install(caller: Caller, request: BackendRequest): Answer<{ readonly id: string }> {
    const allowed = await this.parts.admit(caller);
    if (isLeft(allowed)) return allowed;
    if (this.stopped.signal.aborted)
      return left(refuse('unavailable', 'The server is shutting down. Nothing changed.'));
    const { name, sourceId } = request;
    if (this.busy.has(name))
      return left(refuse('operation_conflict', 'This backend is being installed. Wait for that to end.'));
    const id = this.parts.ids.hex(16);
    this.jobs.set(id, { id, name, library: sourceId, phase: 'resolving', progress: 0, processed: false });
    this.forgetOldest();
    const run = this.run(id, request).finally(() => this.running.delete(run));
    this.running.add(run);
    return right({ id });
  }

  async job(caller: Caller, id: string): Answer<BackendJob> {
    const allowed = await this.parts.admit(caller);
    if (isLeft(allowed)) return allowed;
    const found = this.jobs.get(id);
    return found === undefined ? left(refuse('not_found', 'There is no such job.')) : right(found);
  }

  /** Other builds than the installed ones, by what the last refresh read; nothing is sent and nothing changed (04:359-361). */
  async updates(caller: Caller): Answer<readonly BackendUpdate[]> {
    const allowed = await this.parts.admit(caller);
    if (isLeft(allowed)) return allowed;
    const { library, store, host } = this.parts;
    const installed = await store.installed();
    if (isLeft(installed)) return installed;
    const updates = installed.right.map((one) => backendUpdate(library.cachedReleases(one.library), one, host));
    return right(updates.filter((update) => update !== undefined));
  }

  /** Ends what is being installed and waits for it; nothing of it is left. */
  async close(): Promise<void> {
    this.stopped.abort();
    await Promise.all(this.running);
  }

  private async run(id: string, request: BackendRequest): Promise<void> {
    const { name, sourceId } = request;
    const held = new Set([name]);
    this.busy.add(name);
    try {
      const done = await this.perform(id, request, held);
      if (isLeft(done))
        this.parts.log.warn({ backend: name, sourceId, reason: done.left.message }, 'A backend was not installed');
      this.note(id, isLeft(done) ? { processed: true, error: done.left.message } : DONE);
    } catch (fault) {
      this.parts.log.error({ err: fault, backend: name, sourceId }, 'A backend was not installed');
      this.note(id, {
        processed: true,
        error: 'The server met an unexpected fault. Nothing was installed. Its log has the detail.',
      });
    } finally {
      for (const one of held) this.busy.delete(one);
    }
  }

  private async perform(id: string, request: BackendRequest, held: Set<string>): Promise<Either<Refusal, void>> {
    const { library, store, host, capabilities, requireIntegrity } = this.parts;
    const { signal } = this.stopped;
    const resolved = await library.resolveBackend({ ...request, ...host, capabilities }, signal);
    if (isLeft(resolved)) return resolved;
    const { chosen, policy } = resolved.right;
    if (requireIntegrity && !policy.requireSignature) return left(UNSIGNED);
    if (!this.hold(chosen, held))
      return left(refuse('operation_conflict', 'The backend it leads to is being installed.'));
    return store.install({ ...chosen, library: request.sourceId }, policy, {
      signal,
      onPhase: (phase) => this.note(id, { phase }),
      onProgress: ({ bytes = 0, totalBytes }) => {
        const progress = totalBytes === undefined ? 0 : Math.min(100, Math.floor((100 * bytes) / totalBytes));
        this.note(id, { progress, downloadedBytes: bytes, ...(totalBytes === undefined ? {} : { totalBytes }) });
      },
    });
  }

  /** Takes the name of the image a meta backend leads to as well; false while another job has it. */
  private hold({ release }: ChosenBackend, held: Set<string>): boolean {
    if (held.has(release.id)) return true;
    if (this.busy.has(release.id)) return false;
    this.busy.add(release.id);
    held.add(release.id);
    return true;
  }

  private note(id: string, change: Partial<BackendJob>): void {
    const job = this.jobs.get(id);
    if (job !== undefined) this.jobs.set(id, { ...job, ...change });
  }

  private forgetOldest(): void {
    for (const [id, { processed }] of this.jobs) {
      if (this.jobs.size <= MOST_JOBS) return;
      if (processed) this.jobs.delete(id);
    }
  }
}

const DONE = { processed: true, phase: 'done', progress: 100, message: 'completed' } as const;

const UNSIGNED = refuse(
  'package_unverified',
  'This server installs backends only from libraries that require a signature, and this one does not. Nothing was installed.',
);
