/**
 * Everything the owner can do for a caller: the one interface `http/`, `carrier/` and `cli/` depend on. It has two
 * implementations (in process, and over the carrier), and one contract suite runs over both.
 */

import type { Actor, Via } from '../contract/actor.js';
import type { AddonLimits, AddonLimitsView } from '../contract/addon-limits.js';
import type {
  AppEntry,
  ChangeKind,
  DispatchResult,
  OperationStatus,
  ProposalPage,
  ProposalRequest,
  ProposalView,
  ResourceEntry,
  ServerSettings,
  SourceList,
  SourceView,
  UnresolvedView,
} from '../contract/api.js';
import type { BackendJob, BackendRequest } from '../contract/backends.js';
import type { Either } from '../contract/fp.js';
import type { JsonObject } from '../contract/json.js';
import type { Refusal } from '../contract/refusal.js';
import type { SettingsChange, SourceRequest } from '../contract/requests.js';
import type { ExecutionView, ProvidersChange, ToolProvidersView } from '../contract/tool-providers.js';
import type { ContractRequest } from '../contract/wire.js';
import type { BackendUpdate } from './library/backends.js';
import type { Progress } from './ports.js';

export interface Caller {
  readonly actor: Actor;
  readonly via: Via;
  /** Checked by the owner at each call in named-user mode; the local owner counts as the administrator. */
  readonly administrator: boolean;
  /**
   * Present only when the request came over a host confirmation surface (chapter 10, "Confirm", rules 1, 2 and 4);
   * `subject` is the value of `X-LocalAI-Confirm`, which the owner compares with the id it guards (rule 3).
   */
  readonly surface?: { readonly subject: string };
  /** The conversation a chat calls for; set by the chat itself, never taken from a request or a model (07:126-129). */
  readonly conversationId?: string;
}

export type Answer<A> = Promise<Either<Refusal, A>>;

/** A body whose `arguments` must be judged on its raw text: the parsed value and the exact text of that member. */
export interface WithRawArguments<T> {
  readonly value: T;
  readonly rawArguments: string;
}

export interface ResourceCreation {
  readonly addonId: string;
  readonly operationId: string;
  readonly generation: number;
  readonly arguments: JsonObject;
}

export interface OperationProgress extends OperationStatus {
  readonly progress?: Progress;
}

export interface OwnerGateway {
  /** Reads, lifecycle and management actions of `POST /api/addons/dispatch`, and `act`, which only a chat may call. */
  dispatch(
    caller: Caller,
    request: WithRawArguments<ContractRequest>,
    options?: { respondAsync?: boolean; signal?: AbortSignal },
  ): Answer<DispatchResult>;
  operationStatus(caller: Caller, operationId: string): Answer<OperationProgress>;

  apps(caller: Caller): Answer<readonly AppEntry[]>;
  icon(caller: Caller, addonId: string, generation: number): Answer<{ bytes: Uint8Array; mediaType: string }>;
  startApp(caller: Caller, addonId: string, body: { operationId: string; generation: number }): Answer<OperationStatus>;
  stopApp(caller: Caller, addonId: string, body: { operationId: string; generation: number }): Answer<OperationStatus>;

  /** The next three are for administrators; they refuse everyone else with `denied`, and `not_found`. */
  addonLog(caller: Caller, addonId: string): Answer<{ readonly lines: readonly string[] }>;
  addonLimits(caller: Caller, addonId: string): Answer<AddonLimitsView>;
  limitAddon(caller: Caller, addonId: string, limits: AddonLimits): Answer<AddonLimitsView>;

  /** For administrators, like the two below: who replaces the built-in tools (09:108-122). */
  toolProviders(caller: Caller): Answer<ToolProvidersView>;
  /** By compare and swap, once for each operation id. */
  chooseProviders(caller: Caller, change: ProvidersChange): Answer<ToolProvidersView>;
  /** What the selected provider of commands says of itself now; it authorizes nothing (17:129-156). */
  executionStatus(caller: Caller): Answer<ExecutionView>;

  /** `created` is false for a repeat of the same request. */
  propose(
    caller: Caller,
    request: WithRawArguments<ProposalRequest>,
  ): Answer<{ created: boolean; proposal: ProposalView }>;
  proposal(caller: Caller, id: string): Answer<ProposalView>;
  proposals(
    caller: Caller,
    query: { state: 'pending' | 'unresolved' | 'settled' | 'all'; limit: number; cursor?: string },
  ): Answer<ProposalPage>;
  confirm(caller: Caller, id: string, body: { digest: string }): Answer<ProposalView>;
  cancel(caller: Caller, id: string): Answer<ProposalView>;
  reconcile(caller: Caller, id: string): Answer<ProposalView>;
  resolve(caller: Caller, id: string, body: { digest: string; reason: string }): Answer<ProposalView>;
  unresolved(caller: Caller, resourceId: string): Answer<readonly UnresolvedView[]>;

  resources(caller: Caller, addonId: string): Answer<readonly ResourceEntry[]>;
  createResource(
    caller: Caller,
    body: WithRawArguments<ResourceCreation>,
  ): Answer<{ created: boolean; entry: ResourceEntry & { operationId: string } }>;

  /** Every source of every kind, tombstones included; for administrators, like the four below (04:178-198). */
  sources(caller: Caller): Answer<SourceList>;
  addSource(caller: Caller, source: SourceRequest): Answer<SourceView>;
  switchSource(caller: Caller, id: string, to: 'enable' | 'disable'): Answer<SourceView>;
  removeSource(caller: Caller, id: string): Answer<void>;
  /** Begins to install a backend of a library; the job says how it goes (04:318-350). */
  installBackend(caller: Caller, request: BackendRequest): Answer<{ readonly id: string }>;
  backendJob(caller: Caller, id: string): Answer<BackendJob>;
  backendUpdates(caller: Caller): Answer<readonly BackendUpdate[]>;
  settings(caller: Caller): Answer<ServerSettings>;
  changeSettings(caller: Caller, change: SettingsChange): Answer<ServerSettings>;

  /** Tells which lists changed for this caller; the returned function ends the subscription. */
  subscribe(caller: Caller, listener: (kind: ChangeKind) => void): () => void;
  /** Why the owner does not take commands right now, for `/readyz`; undefined when it does. */
  notReady(): { readonly code: 'starting' | 'fenced'; readonly message: string } | undefined;
}
