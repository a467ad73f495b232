import type {
  CatalogFetcher,
  LaunchSpec,
  LibraryListing,
  Observation,
  PackageReceipt,
  PackageStore,
  RuntimeClient,
  Runtimes,
  StagedPackage,
} from '../../src/commands/ports.js';
import type { Release } from '../../src/contract/api.js';
import { type Either, isLeft, left, right } from '../../src/contract/fp.js';
import type { JsonObject } from '../../src/contract/json.js';
import { type Refusal, refuse } from '../../src/contract/refusal.js';
import { MemoryStorage } from '../../src/events/memory-journal.js';
import type { Batch, SpaceShortage } from '../../src/events/storage.js';

/** Keeps what was committed and stops for ever, or fails, at the n-th commit from now. */
export class FaultyStorage extends MemoryStorage {
  commits = 0;
  plan: { readonly at: number; readonly how: 'before' | 'after' | 'fail' } | undefined;
  crashed = false;
  /** Appends that are still taken before the disk counts as full. */
  roomFor = Number.POSITIVE_INFINITY;
  /** So many of the next appends meet a full disk. */
  refuseNext = 0;
  private tell: () => void = () => undefined;

  /** Resolves at the next crash. */
  nextCrash(): Promise<'crash'> {
    return new Promise((resolve) => {
      this.tell = () => resolve('crash');
    });
  }

  override shortage(): SpaceShortage | undefined {
    if (this.refuseNext > 0) {
      this.refuseNext -= 1;
      return { path: 'journal', freeBytes: 1, neededBytes: 2 };
    }
    if (this.roomFor <= 0) return { path: 'journal', freeBytes: 1, neededBytes: 2 };
    this.roomFor -= 1;
    return undefined;
  }

  override commit(batch: Batch): void | Promise<void> {
    this.commits += 1;
    if (this.crashed) return new Promise(() => undefined);
    if (this.plan?.at !== this.commits) return super.commit(batch);
    if (this.plan.how === 'fail') throw new Error('the disk failed');
    if (this.plan.how === 'after') super.commit(batch);
    this.crashed = true;
    this.tell();
    return new Promise(() => undefined);
  }

  /** As after a restart: the plan is gone, the bytes stay. */
  survive(): void {
    this.crashed = false;
    this.plan = undefined;
    this.commits = 0;
  }
}

export class TestClock {
  ms = Date.parse('2026-01-01T00:00:00.000Z');
  private timers: { at: number; task: () => void }[] = [];
  now(): Date {
    return new Date(this.ms);
  }
  after(ms: number, task: () => void): () => void {
    const timer = { at: this.ms + ms, task };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }
  advance(ms: number): void {
    this.ms += ms;
    const due = this.timers.filter(({ at }) => at <= this.ms);
    this.timers = this.timers.filter(({ at }) => at > this.ms);
    for (const { task } of due) task();
  }
}

export class TestRuntimes implements Runtimes {
  readonly running = new Map<string, LaunchSpec>();
  readonly failures = new Map<string, string>();
  readonly calls: string[] = [];
  /** `id` or `id@version` whose start fails. */
  readonly broken = new Set<string>();
  starting = 0;
  mostStarting = 0;
  gate: Promise<void> | undefined;
  /** What the recovery of processes records, on the store of the new owner. */
  recovered: () => Promise<void> = async () => undefined;
  beforeStart: ((spec: LaunchSpec) => void | Promise<void>) | undefined;
  private listener: (addonId: string) => void = () => undefined;
  private readonly stops = new Map<string, () => void>();

  async start(spec: LaunchSpec): Promise<Either<{ reason: string }, void>> {
    const { addonId, version, generation } = spec;
    if (this.running.get(addonId)?.generation === generation) return right(undefined);
    this.calls.push(`start ${addonId} ${generation}`);
    this.starting += 1;
    this.mostStarting = Math.max(this.mostStarting, this.starting);
    await this.beforeStart?.(spec);
    const stopped = new Promise<'stopped'>((resolve) => this.stops.set(addonId, () => resolve('stopped')));
    const replaced = this.gate === undefined ? undefined : await Promise.race([this.gate, stopped]);
    this.starting -= 1;
    if (replaced === 'stopped') return left({ reason: 'a later command replaced this one' });
    const verified = await spec.verify();
    if (isLeft(verified) || this.broken.has(addonId) || this.broken.has(`${addonId}@${version}`)) {
      this.failures.set(addonId, 'it exits at once');
      return left({ reason: 'it exits at once' });
    }
    this.failures.delete(addonId);
    this.running.set(addonId, spec);
    this.listener(addonId);
    return right(undefined);
  }
  async stop(addonId: string): Promise<Either<{ reason: string }, void>> {
    this.stops.get(addonId)?.();
    if (this.running.delete(addonId)) this.calls.push(`stop ${addonId}`);
    this.failures.delete(addonId);
    return right(undefined);
  }
  /** Answers the reads of running add-ons; without it no add-on can be called. */
  reader: RuntimeClient['read'] | undefined;
  current(addonId: string, generation: number): ReturnType<Runtimes['current']> {
    const { reader: read } = this;
    if (read === undefined || this.running.get(addonId)?.generation !== generation)
      return left({ reason: 'it does not run here' });
    // One process for each start.
    const started = this.calls.filter((call) => call.startsWith(`start ${addonId} `)).length;
    const incarnation = `${addonId}-${started}`;
    return right({ incarnation, generation, read } as RuntimeClient);
  }
  observe(addonId: string): Observation {
    const spec = this.running.get(addonId);
    if (spec !== undefined) return { state: 'running', generation: spec.generation, restarts: 0 };
    const reason = this.failures.get(addonId);
    return reason === undefined ? { state: 'stopped', restarts: 0 } : { state: 'failed', restarts: 0, reason };
  }
  async recover(): Promise<Either<{ reason: string }, void>> {
    this.running.clear();
    await this.recovered();
    return right(undefined);
  }
  log(): readonly string[] {
    return ['a line'];
  }
  use(): ReturnType<Runtimes['use']> {
    return { heldBy: 'rlimit' };
  }
  limitsChanged(addonId: string): void {
    this.limited.push(addonId);
  }
  readonly limited: string[] = [];
  onChange(listener: (addonId: string) => void): void {
    this.listener = listener;
  }
  async shutdown(): Promise<Either<{ reason: string }, void>> {
    this.running.clear();
    return right(undefined);
  }
}

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Lets everything else run until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resume) => setImmediate(resume));
}

export class TestPackages implements PackageStore {
  /** On disk: survives a crash. */
  readonly published = new Map<string, PackageReceipt>();
  stages = new Set<StagedPackage>();
  staged = 0;
  atOnce = 0;
  mostAtOnce = 0;
  beforePublish: (() => void) | undefined;
  refuseStage: Refusal | undefined;
  refusePublish: Refusal | undefined;
  throwStage = false;
  gate: Promise<void> | undefined;
  signer: PackageReceipt['signer'] | undefined;
  manifestOf: (release: Release) => JsonObject = (release) => testManifest(release.id, release.version);

  async stage(
    release: Release,
    _policy: unknown,
    options: Parameters<PackageStore['stage']>[2],
  ): Promise<Either<Refusal, StagedPackage>> {
    this.staged += 1;
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    options.onProgress({ phase: 'downloading', bytes: 512, totalBytes: 1024 });
    if (this.gate !== undefined) await Promise.race([this.gate, abortOf(options.signal)]);
    this.atOnce -= 1;
    if (options.signal.aborted) return left(refuse('package_fetch_failed', 'cancelled'));
    if (this.throwStage) throw new Error('a fault at /secret/path');
    if (this.refuseStage !== undefined) return left(this.refuseStage);
    const manifest = this.manifestOf(release);
    const staged: StagedPackage = {
      receipt: {
        addonId: release.id,
        version: release.version,
        sourceId: release.sourceId,
        channel: release.channel ?? '',
        selection: release.selection ?? '',
        artifact: release.artifact,
        digest: release.digest,
        verification: this.signer === undefined ? 'sha256' : 'sha256+sigstore',
        ...(this.signer === undefined ? {} : { signer: this.signer }),
        os: release.os,
        arch: release.arch,
        manifestDigest: release.digest,
        manifest,
        files: [],
      },
    };
    this.stages.add(staged);
    return right(staged);
  }
  async publish(staged: StagedPackage): Promise<Either<Refusal, { directory: string }>> {
    if (!this.stages.has(staged)) throw new Error('a stage works once');
    this.beforePublish?.();
    if (this.refusePublish !== undefined) return left(this.refusePublish);
    this.stages.delete(staged);
    const directory = `${staged.receipt.addonId}-${this.published.size + 1}`;
    this.published.set(directory, staged.receipt);
    return right({ directory });
  }
  async discard(staged: StagedPackage): Promise<void> {
    this.stages.delete(staged);
  }
  async receipt(directory: string): Promise<Either<Refusal, PackageReceipt>> {
    const found = this.published.get(directory);
    return found === undefined ? left(refuse('not_found', 'none')) : right(found);
  }
  async verify(directory: string): Promise<Either<string, void>> {
    return this.published.has(directory) ? right(undefined) : left('the package is gone');
  }
  async icon(directory: string): Promise<Either<Refusal, { bytes: Uint8Array; mediaType: string }>> {
    return this.published.has(directory)
      ? right({ bytes: new Uint8Array([1]), mediaType: 'image/png' })
      : left(refuse('not_found', 'none'));
  }
  absolute(directory: string): string {
    return `/packages/${directory}`;
  }
  async sweep(): Promise<Either<Refusal, { removed: number }>> {
    const removed = this.stages.size;
    this.stages = new Set();
    return right({ removed });
  }
}

export class TestCatalog implements CatalogFetcher {
  readonly indexes = new Map<string, readonly Release[]>();
  readonly failing = new Set<string>();
  /** Entries of unknown kinds a library has. */
  readonly skipped = new Map<string, Pick<LibraryListing, 'skipped' | 'skippedKinds'>>();
  readonly fetched: string[] = [];
  gate: Promise<void> | undefined;

  async fetch(source: { id: string; url: string }, signal: AbortSignal): Promise<Either<Refusal, LibraryListing>> {
    this.fetched.push(source.id);
    if (this.gate !== undefined) await Promise.race([this.gate, abortOf(signal)]);
    if (signal.aborted) return left(refuse('library_unavailable', 'late'));
    if (this.failing.has(source.id)) return left(refuse('library_unavailable', 'The library could not be read.'));
    return right({
      releases: this.indexes.get(source.id) ?? [],
      skipped: 0,
      skippedKinds: [],
      ...this.skipped.get(source.id),
    });
  }
}

export const DIGEST = `sha256:${'a'.repeat(64)}`;

export function testManifest(id: string, version: string): JsonObject {
  return {
    schemaVersion: 1,
    id,
    version,
    executable: 'bin/run',
    os: 'linux',
    arch: 'amd64',
    host: { min: 1, max: 1 },
    api: { min: 1, max: 2 },
    protocol: { min: 1, max: 1 },
    dataFormat: { min: 1, max: 1 },
    capabilities: { service: true, tools: ['read-it'] },
  };
}

export function testRelease(id: string, version: string, extra: Partial<Release> = {}): Release {
  return {
    sourceId: 'lib',
    kind: 'addon',
    id,
    name: id,
    version,
    artifact: `https://example.test/${id}-${version}.tar`,
    digest: DIGEST,
    os: 'linux',
    arch: 'amd64',
    ...extra,
  };
}
