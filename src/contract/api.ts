/** The shapes that cross between the owner's HTTP API and its clients (wire.md, "Routes"; chapters 10 and 12). Types only. */

import type { Via } from './actor.js';
import type { Json, JsonObject } from './json.js';
import type { EffectSummary, Receipt, Result, Revision } from './wire.js';

export type ProposalState =
  | 'pending'
  | 'cancelled'
  | 'expired'
  | 'executing'
  | 'applied'
  | 'rejected'
  | 'outcome-unknown'
  | 'abandoned-unknown';

export interface ProposalRequest {
  readonly addonId: string;
  readonly resourceId?: string;
  readonly operationId: string;
  readonly generation: number;
  readonly action: 'write' | 'schema' | 'create';
  /** The tool's arguments as they came, with the key `tool`; the raw text is checked before it is parsed. */
  readonly arguments: JsonObject;
}

export interface ProposalView {
  readonly id: string;
  readonly state: ProposalState;
  readonly addonId: string;
  readonly resourceId: string;
  readonly action: 'write' | 'schema' | 'create';
  readonly tool: string;
  readonly generation: number;
  readonly revision: Revision;
  readonly arguments: JsonObject;
  readonly effects: EffectSummary;
  readonly digest: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly proposer: { readonly userId: string; readonly displayName?: string };
  readonly via: Via;
  readonly blocked?: true;
  readonly blockedBy?: string;
  readonly receipt?: Receipt;
  readonly rejection?: { readonly code: string; readonly message: string };
  readonly resolution?: { readonly actorId: string; readonly at: string; readonly reason: string };
}

/** An entry of a resource's unresolved list: never the arguments, never a credential (RECOVER-022). */
export type UnresolvedView = Omit<ProposalView, 'arguments' | 'receipt'> & { readonly ageSeconds: number };

export interface ProposalPage {
  readonly proposals: readonly ProposalView[];
  readonly next?: string;
}

export type OperationPhase = 'intent' | 'prepared' | 'applied' | 'completed' | 'failed';

/** What an administrator is shown of one add-on's operations; "granted" counts requested names only (07:164-167). */
export interface HostOpsView {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly granted: readonly string[];
  readonly missing: readonly string[];
  readonly counts: {
    readonly required: number;
    readonly optional: number;
    readonly granted: number;
    readonly missing: number;
  };
}

export interface OperationStatus {
  readonly operationId: string;
  readonly addonId: string;
  readonly action: string;
  readonly state: OperationPhase;
  readonly error?: { readonly type: string; readonly message: string };
  readonly generation: number;
  readonly runtimeState: 'not-observed';
  /** In the answer to a lifecycle action on an add-on that asks for host operations. */
  readonly hostOperations?: HostOpsView;
}

export type AppState = 'running' | 'starting' | 'failed' | 'stopped';

export interface AppEntry {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly titles?: Readonly<Record<string, string>>;
  readonly descriptions?: Readonly<Record<string, string>>;
  readonly icon?: string;
  readonly version: string;
  readonly generation: number;
  readonly enabled: boolean;
  readonly state: AppState;
  readonly mainPage?: string;
  readonly hasUI: boolean;
  readonly launchMode: 'always';
  readonly tools: readonly string[];
  readonly toolCount: number;
  /** What the add-on calls one thing that it holds, in the singular; absent when its manifest does not say (09:42). */
  readonly resourceNoun?: string;
  readonly installedAt?: string;
  readonly admin?: { readonly canStart: boolean; readonly canStop: boolean; readonly managementUrl: string };
}

export interface InstalledEntry extends Omit<AppEntry, 'admin' | 'name'> {
  readonly sourceId: string;
  readonly channel: string;
  readonly selection: string;
  readonly verification: 'sha256' | 'sha256+sigstore';
  /** Who signed it, where a signature was verified. */
  readonly signer?: { readonly issuer: string; readonly identity: string };
  readonly digest: string;
  readonly platform: { readonly os: string; readonly arch: string };
  readonly compatibility: JsonObject;
  readonly generations: number;
  readonly restarts: number;
  /** Why it was started anew the last time. */
  readonly restartReason?: string;
  readonly storage: { readonly bytes: number; readonly truncated: boolean };
  /** What it asks of the host and what the administrator's policy grants of that; absent when it asks for nothing. */
  readonly hostOperations?: HostOpsView;
  /** Why a `failed` add-on is not serving, for administrators only. */
  readonly reason?: string;
}

export interface ResourceEntry {
  readonly resourceId: string;
  readonly addonId: string;
  readonly name: string;
  readonly role: 'viewer' | 'editor' | 'owner';
  readonly owner?: { readonly displayName: string };
  readonly sharedWith?: number;
  readonly revision?: Revision;
}

export interface SourcePolicy {
  readonly requireSignature: boolean;
  readonly issuer?: string;
  readonly identity?: string;
  readonly identityRegex?: string;
  readonly allowLoopbackHTTP?: boolean;
}

export interface SourceView {
  readonly id: string;
  readonly kind: 'addon' | 'backend' | 'model';
  readonly name: string;
  readonly url: string;
  readonly format: 'library' | 'gallery';
  /** What the server does with it now: on, not removed and not suspended (04:194). */
  readonly enabled: boolean;
  /** Ships with the product. */
  readonly default: boolean;
  /** The tombstone of a default: it stays away until it is enabled again (04:140-143). */
  readonly removed: boolean;
  /** A default while the official libraries are off; its own state is kept (04:172-174). */
  readonly suspended: boolean;
  /** Which other source lists the same entries, and what follows (04:151-163). */
  readonly conflict?: string;
  readonly policy: SourcePolicy;
  readonly authReference?: string;
  readonly refresh?: {
    readonly checkedAt: string;
    readonly lastSuccess?: string;
    readonly count: number;
    readonly failed: boolean;
    /** Why it could not be read, without an address or anything the other side said. */
    readonly message?: string;
    /** Entries of kinds this version does not read (04:218-231); absent when there are none. */
    readonly skipped?: number;
    readonly skippedKinds?: readonly string[];
  };
}

export interface SourceList {
  readonly sources: readonly SourceView[];
  readonly officialLibraries: boolean;
}

/** Settings of the server that an administrator changes while it runs. */
export interface ServerSettings {
  readonly official_libraries: boolean;
}

/** One release of a library index (06, "Catalog document and limits"). */
export interface Release {
  readonly sourceId: string;
  readonly kind: 'addon' | 'backend';
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly version: string;
  readonly channel?: string;
  readonly artifact: string;
  /** `sha256:` and 64 hex digits; empty exactly when `mutable` is set, since a moving tag is resolved at install. */
  readonly digest: string;
  readonly mutable?: true;
  readonly os: string;
  readonly arch: string;
  readonly ui?: {
    readonly title?: string;
    readonly description?: string;
    readonly mainPage?: string;
    readonly icon?: string;
    readonly launchMode?: string;
  };
  readonly tools?: readonly string[];
  readonly toolCount?: number;
  /** Compatibility hints of the update check (13:202-207); the manifest in the package decides. */
  readonly requires?: Readonly<
    Partial<Record<'host' | 'api' | 'protocol' | 'dataFormat' | 'sdk', { readonly min: number; readonly max: number }>>
  >;
  /** Built-in tools and document skills the add-on replaces (09:123; 05, "Before install"). */
  readonly shadows?: readonly string[];
  readonly skillShadows?: readonly string[];
  /** Of a backend only (04:233-288): a meta backend has no artifact, digest or platform, and names others by capability. */
  readonly alias?: string;
  readonly license?: string;
  /** For a browser to load; the server never does. */
  readonly icon?: string;
  readonly urls?: readonly string[];
  readonly tags?: readonly string[];
  readonly mirrors?: readonly string[];
  readonly capabilities?: Readonly<Record<string, string>>;
  /** Stamped by the resolver (the channel or version that was asked for), never read from a remote index. */
  readonly selection?: string;
}

export type ChangeKind = 'apps' | 'proposals' | 'resources' | 'artifacts';

export type DispatchResult = Result & { readonly payload?: Json };
