/** Who serves the built-in tools and document skills that an add-on can replace; the page uses this file too (09:108-122). */

import type { ExecutionStatus } from './execution-status.js';

/** The only keys of `chats_tool_providers` (01:108-109). */
export const REPLACEABLE = ['bash', 'web_search', 'web_fetch', 'xlsx', 'docx', 'pptx', 'pdf'] as const;
export type Replaceable = (typeof REPLACEABLE)[number];

/** From the tool or skill to the add-on an administrator chose. */
export type Choices = { readonly [K in Replaceable]?: string };
/** What is absent stays as it is; null takes the choice away (01:131-133). */
export type ChoicesPatch = { readonly [K in Replaceable]?: string | null };

export interface ProviderCandidate {
  readonly addonId: string;
  readonly version: string;
  /** RFC 3339; empty where it was not kept. */
  readonly installedAt: string;
  /** Off, or not running: it cannot serve now. */
  readonly stopped: boolean;
}

export interface ToolProviderRow {
  readonly tool: Replaceable;
  /** The add-on that was chosen, also when it is gone. */
  readonly chosen?: string;
  /** The add-on that serves now; absent: the built-in tool, or no such skill. */
  readonly serving?: string;
  /** Why no add-on serves although one could. */
  readonly note?: string;
  /** Running or not, installed first comes first. */
  readonly candidates: readonly ProviderCandidate[];
}

/** The answer of `GET` and `PUT /api/admin/tool-providers`. */
export interface ToolProvidersView {
  /** The revision of the policy, which a change must name. */
  readonly revision: number;
  readonly tools: readonly ToolProviderRow[];
}

/** A change of choices: the whole or nothing, once for each operation id. */
export interface ProvidersChange {
  readonly operationId: string;
  readonly revision: number;
  readonly choices: ChoicesPatch;
}

/** What the provider that serves `bash` says of itself, read anew at each request (17:129-156). */
export interface ExecutionView {
  /** Absent: no add-on is selected, and the built-in command tool runs on the host itself. */
  readonly provider?: { readonly addonId: string; readonly generation: number; readonly incarnation?: string };
  readonly status: ExecutionStatus;
  /** Why the status is unknown. */
  readonly reason?: string;
}
