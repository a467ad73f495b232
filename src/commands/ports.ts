/** What the use cases need from the outside; the composition root wires the adapters (`process/`, `packages/`). */
import type { AddonLimits, AddonUse } from '../contract/addon-limits.js';
import type { Release, SourcePolicy } from '../contract/api.js';
import type { Either } from '../contract/fp.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Refusal } from '../contract/refusal.js';
import type { ContractRequest, Envelope, Output, Preview, Receipt, Result, Revision } from '../contract/wire.js';

/** Time and randomness are injected, so that a scenario can run a day in a millisecond. */
export interface Clock {
  now(): Date;
  /** Runs `task` once after `ms`; the returned function cancels it. Timers never keep the process alive. */
  after(ms: number, task: () => void): () => void;
}

export interface Ids {
  /** Lower-case hex of `bytes` random bytes. */
  hex(bytes: number): string;
  bytes(length: number): Uint8Array;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

// ---- processes -----------------------------------------------------------------------------------------------

/** One generation to run. `verify` hashes executable and assets against the receipt before every launch. */
export interface LaunchSpec {
  readonly addonId: string;
  readonly version: string;
  readonly generation: number;
  /** Absolute. */
  readonly packageDir: string;
  /** Relative to `packageDir`. */
  readonly executable: string;
  /** Absolute; the working directory of the process. */
  readonly dataDir: string;
  readonly capabilities: JsonObject;
  readonly verify: () => Promise<Either<string, void>>;
  /** Asked at each launch and after each change; absent is unlimited. */
  readonly limits?: () => AddonLimits;
}

export interface Observation {
  readonly state: 'running' | 'starting' | 'failed' | 'stopped';
  readonly generation?: number;
  readonly restarts: number;
  /** Why a failed process is not serving, in words for an administrator. */
  readonly reason?: string;
  /** Why it was started anew the last time. */
  readonly restartReason?: string;
}

/** How a call to an add-on can end other than well. */
export type CallFailure =
  /** Provably never left the owner: no slot, withdrawn, failed connect, invalid envelope. */
  | {
      readonly kind: 'not-sent';
      readonly message: string /** It has as many calls as it may have at a time. */;
      readonly full?: true;
    }
  /** 400 or 422: refused, nothing applied. */
  | { readonly kind: 'refused'; readonly code?: string; readonly message: string }
  /** 429: busy, nothing applied. */
  | { readonly kind: 'busy'; readonly retryAfter: number }
  /** 409. */
  | { readonly kind: 'conflict'; readonly code?: string; readonly message: string }
  /** 404 on `/receipt`: the add-on holds none. */
  | { readonly kind: 'no-receipt' }
  /** The deadline passed; the request may have run. */
  | { readonly kind: 'timeout' }
  /** Anything else; the request may have run. */
  | { readonly kind: 'outage'; readonly message: string };

/** Why the bytes of an output ended early; thrown by whoever reads them. */
export class OutputCut extends Error {
  constructor(
    readonly kind: 'timeout' | 'too-large' | 'cut',
    message: string,
  ) {
    super(message);
    this.name = 'OutputCut';
  }
}

/** The bytes of one output. It holds one of the add-on's calls until it was read to its end or closed (05:268-269). */
export interface OutputStream {
  /** To be read once. Rejects with {@link OutputCut} when it stands still, grows too long or breaks off. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The caller closes it, whatever became of it; a second time does nothing. */
  close(): void;
}

/** Bound to one ready incarnation; rejects with `not-sent` after that was withdrawn. */
export interface RuntimeClient {
  readonly incarnation: string;
  readonly generation: number;
  read(envelope: Envelope, signal?: AbortSignal): Promise<Either<CallFailure, Result>>;
  preview(envelope: Envelope, signal?: AbortSignal): Promise<Either<CallFailure, Preview>>;
  apply(envelope: Envelope, revision: Revision, signal?: AbortSignal): Promise<Either<CallFailure, Receipt>>;
  receipt(operationId: string, signal?: AbortSignal): Promise<Either<CallFailure, Receipt>>;
  /** What a person asked a chat to do, at once: up to 30 minutes, and never sent a second time (07:123-126). */
  act(envelope: Envelope, signal?: AbortSignal): Promise<Either<CallFailure, Result>>;
  /** The bytes behind a handle of an earlier result, under an authority of scope `output`. */
  openOutput(envelope: Envelope, handle: string, signal?: AbortSignal): Promise<Either<CallFailure, OutputStream>>;
}

export interface Runtimes {
  /** Starts (or keeps) this generation; resolves when ready, or with the reason after the first failed launch or the readiness limit. */
  start(spec: LaunchSpec): Promise<Either<{ readonly reason: string }, void>>;
  /** Withdraws, drains and ends the process; resolves left when its end could not be confirmed in time. */
  stop(addonId: string): Promise<Either<{ readonly reason: string }, void>>;
  /** The ready incarnation of exactly this generation. */
  current(addonId: string, generation: number): Either<{ readonly reason: string }, RuntimeClient>;
  observe(addonId: string): Observation;
  /** Ends what a dead owner left running, before anything is launched; left = uncertain, with what to check. */
  recover(): Promise<Either<{ readonly reason: string }, void>>;
  /** The last lines the add-on wrote, oldest first; at most 200 of at most 4096 bytes. */
  log(addonId: string): readonly string[];
  /** What the add-on uses now, unless it does not run, and who holds it to its limits. */
  use(addonId: string): { readonly use?: AddonUse; readonly heldBy: 'cgroup' | 'rlimit' };
  /** Holds the running process to what its limits are now. */
  limitsChanged(addonId: string): void;
  onChange(listener: (addonId: string) => void): void;
  shutdown(): Promise<Either<{ readonly reason: string }, void>>;
}

/** One incarnation that may ask the host for something, as the supervisor knows it. */
export interface HostCaller {
  readonly addonId: string;
  readonly incarnation: string;
  /** The envelopes of the calls with this operation id that the incarnation is serving at this moment. */
  live(operationId: string): readonly Envelope[];
}

export interface HostAnswer {
  readonly status: number;
  readonly body: { readonly result: Json } | { readonly error: { readonly code: string; readonly message: string } };
}

/** Decides the calls that add-ons make to the host (07:178-250). */
export interface HostBroker {
  /** Whether this add-on is given the channel at all. */
  offers(addonId: string): boolean;
  /** Never rejects. */
  call(caller: HostCaller, body: Uint8Array): Promise<HostAnswer>;
  forget(incarnation: string): void;
}

/** Durable facts about launches, kept in the journal; every method resolves only when its event is on disk. */
export interface LaunchLedger {
  pending(
    addonId: string,
    launch: {
      incarnation: string;
      generation: number;
      executable: string;
      dataDir: string;
      bootId: string;
      pidNamespace: string;
    },
  ): Promise<Either<Refusal, void>>;
  started(
    addonId: string,
    launch: { incarnation: string; pid: number; startTime: string; bootId: string; pidNamespace: string },
  ): Promise<Either<Refusal, void>>;
  ready(addonId: string, incarnation: string): Promise<Either<Refusal, void>>;
  draining(addonId: string, incarnation: string): Promise<Either<Refusal, void>>;
  exited(
    addonId: string,
    incarnation: string,
    how: { code?: number; signal?: string; reason: string },
  ): Promise<Either<Refusal, void>>;
  uncertain(addonId: string, incarnation: string, reason: string): Promise<Either<Refusal, void>>;
  attemptsSpent(addonId: string, incarnation: string): Promise<Either<Refusal, void>>;
  /** Launches not known to have ended, from the replayed journal. */
  unfinished(): readonly RecordedLaunch[];
}

export interface RecordedLaunch {
  readonly addonId: string;
  readonly incarnation: string;
  readonly generation: number;
  readonly executable: string;
  /** The working directory it was started in. */
  readonly dataDir: string;
  readonly state: 'pending' | 'started' | 'ready' | 'draining' | 'uncertain';
  readonly pid?: number;
  readonly startTime?: string;
  readonly bootId: string;
  readonly pidNamespace: string;
}

// ---- packages ------------------------------------------------------------------------------------------------

/** What `receipt.json` of a published package says; the digest is the one that was verified on the bytes. */
export interface PackageReceipt {
  readonly addonId: string;
  readonly version: string;
  readonly sourceId: string;
  readonly channel: string;
  readonly selection: string;
  readonly artifact: string;
  readonly digest: string;
  readonly verification: 'sha256' | 'sha256+sigstore';
  readonly signer?: { readonly issuer: string; readonly identity: string };
  readonly os: string;
  readonly arch: string;
  /** `sha256:` of the bytes of `manifest.json`. */
  readonly manifestDigest: string;
  readonly manifest: JsonObject;
  /** Every file of the package but the receipt, package-relative. */
  readonly files: readonly {
    readonly path: string;
    readonly size: number;
    readonly sha256: string;
    readonly executable: boolean;
  }[];
  readonly icon?: { readonly path: string; readonly sha256: string; readonly size: number; readonly mediaType: string };
}

export interface Progress {
  readonly phase: 'downloading' | 'verifying' | 'publishing' | 'starting';
  readonly bytes?: number;
  readonly totalBytes?: number;
}

/** A verified, still private stage; single-use. */
export interface StagedPackage {
  readonly receipt: PackageReceipt;
}

export interface PackageStore {
  /** Downloads and verifies one release into a private stage; leaves nothing behind on a refusal or an abort. */
  stage(
    release: Release,
    policy: SourcePolicy,
    options: { signal: AbortSignal; onProgress: (progress: Progress) => void },
  ): Promise<Either<Refusal, StagedPackage>>;
  /** Makes the stage an immutable, synced package folder and answers its name under `packages/`. */
  publish(staged: StagedPackage): Promise<Either<Refusal, { readonly directory: string }>>;
  discard(staged: StagedPackage): Promise<void>;
  receipt(directory: string): Promise<Either<Refusal, PackageReceipt>>;
  /** Hashes the executable and the declared assets against the receipt. */
  verify(directory: string): Promise<Either<string, void>>;
  /** The bytes of the icon, if they still match the receipt. */
  icon(directory: string): Promise<Either<Refusal, { readonly bytes: Uint8Array; readonly mediaType: string }>>;
  absolute(directory: string): string;
  /** Removes abandoned `stage-*` folders; refuses when the packages root or an ancestor is a symbolic link. */
  sweep(): Promise<Either<Refusal, { readonly removed: number }>>;
}

/** A backend of a library, chosen and to be installed. */
export interface BackendInstall {
  readonly release: Release;
  /** The backend that was asked for, where it led to this one. */
  readonly meta?: string;
  /** The id of the library. */
  readonly library: string;
}

export interface InstalledBackend {
  readonly name: string;
  readonly library: string;
  readonly version: string;
  readonly digest: string;
}

/** The backends directory. Everything but what came from the same library is left as it is (04:331-350). */
export interface BackendStore {
  /** Verifies before it fetches, and puts the backend in its place whole or not at all; nothing is left of a failed one. */
  install(
    wanted: BackendInstall,
    policy: SourcePolicy,
    steps: {
      readonly signal: AbortSignal;
      readonly onPhase: (phase: 'verifying' | 'size' | 'fetching' | 'writing') => void;
      readonly onProgress: (progress: Progress) => void;
    },
  ): Promise<Either<Refusal, void>>;
  /** Those that came from a library. */
  installed(): Promise<Either<Refusal, readonly InstalledBackend[]>>;
  /** Finishes or removes what a crash left. */
  sweep(): Promise<Either<Refusal, { readonly removed: number }>>;
}

/** What one library index holds: the entries of kinds this version knows, and how many it left out (04:218-231). */
export interface LibraryListing {
  readonly releases: readonly Release[];
  readonly skipped: number;
  readonly skippedKinds: readonly string[];
}

/** Fetches and parses one library index: bounds, strictness and redirects as chapter 06 has them. */
export interface CatalogFetcher {
  fetch(
    source: { id: string; url: string; policy: SourcePolicy; authReference?: string },
    signal: AbortSignal,
  ): Promise<Either<Refusal, LibraryListing>>;
}

// ---- the contract, as the use cases need it ---------------------------------------------------------------

export type { ContractRequest, Envelope, Output, Preview, Receipt, Result, Revision };
