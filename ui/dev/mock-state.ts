/** What the mock remembers, and what its routes are handed. */
import type { IncomingHttpHeaders } from 'node:http';
import type { AddonLimitsView } from '../../src/contract/addon-limits.js';
import type { AppEntry, ChangeKind, ProposalView, Release, ResourceEntry, SourceView } from '../../src/contract/api.js';
import type { ExecutionView, ToolProvidersView } from '../../src/contract/tool-providers.js';
import * as data from './mock-data.js';
import { builtinOnly, nobody } from './mock-providers.js';
import { sources } from './mock-source-data.js';

export interface Call {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}
export type Reply = { status: number; body?: unknown; text?: string; type?: string } | 'cut';
export type Emit = (kind: ChangeKind) => void;

export const error = (status: number, type: string, message: string, more: object = {}): Reply => ({
  status,
  body: { error: { type, message, ...more } },
});

export interface Operation {
  readonly addonId: string;
  readonly action: string;
  state: 'intent' | 'prepared' | 'applied' | 'completed' | 'failed';
  bytes: number;
  readonly totalBytes: number;
}

/** What the mock remembers; tests change it and then call `emit`. */
export interface MockState {
  administrator: boolean;
  addonsFeature: boolean;
  apps: AppEntry[];
  sources: SourceView[];
  officialLibraries: boolean;
  releases: Release[];
  resources: ResourceEntry[];
  proposals: ProposalView[];
  /** What each add-on wrote, and what it is limited to. */
  output: string[];
  limits: AddonLimitsView;
  /** Who replaces the built-in tools, and what runs commands. */
  providers: ToolProvidersView;
  execution: ExecutionView;
  operations: Map<string, Operation>;
  /** The code that confirmations need, as with `--local-confirm-code`. */
  confirmCode: string | undefined;
  /** Answers that take the place of the next ones: by `METHOD path` or, for dispatch, by action. */
  faults: Map<string, { status: number; error?: object; cut?: true; times: number }>;
  /** The server's clock, in milliseconds. */
  now: () => number;
  /** Milliseconds a download takes. */
  installMs: number;
}

export const fullState = (): MockState => ({
  administrator: true,
  addonsFeature: true,
  apps: data.apps(),
  sources: sources(),
  officialLibraries: true,
  releases: data.releases(),
  resources: data.resources(),
  proposals: [
    data.updateProposal(),
    data.createProposal(),
    data.importProposal(),
    data.unknownProposal(),
    ...data.settledProposals(),
  ],
  output: ['listening', 'imported 1,024 rows from airports.csv', 'warning: \u202etxet desrever'],
  limits: {
    memoryBytes: null,
    cpuMillis: null,
    openFiles: 256,
    processes: null,
    heldBy: 'rlimit',
    use: { memoryBytes: 44_040_192, cpuMillis: 30, openFiles: 23, processes: 1 },
  },
  providers: nobody(),
  execution: builtinOnly(),
  operations: new Map(),
  confirmCode: undefined,
  faults: new Map(),
  now: Date.now,
  installMs: 2_500,
});
