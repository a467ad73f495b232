/** The shapes that cross between the owner and this process (wire.md, "Add-on process"). Types only. */
import type { Json, JsonObject } from './json.js';

export type Scope = 'read' | 'preview' | 'apply' | 'output' | 'act';

export interface Revision {
  readonly schema: number;
  readonly data: number;
}

export interface ContractRequest {
  readonly addonId: string;
  readonly resourceId?: string;
  readonly operationId: string;
  readonly generation: number;
  readonly action: string;
  readonly arguments: JsonObject;
}

export interface Envelope {
  readonly request: ContractRequest;
  readonly authority: {
    readonly actor: { readonly userId: string; readonly credentialId: string; readonly mode: string };
    readonly scope: Scope;
    readonly expiresAt: string;
  };
}

export interface Preview {
  readonly operationId: string;
  readonly revision: Revision;
  readonly expiresAt: string;
  readonly summary: { readonly count: number; readonly sample: readonly Json[] };
}

export interface Receipt {
  readonly operationId: string;
  readonly state: 'committed' | 'rejected';
  readonly revision: Revision;
  readonly result: { readonly payload: Json };
}

export interface Registration {
  readonly protocol: 1;
  readonly addonId: string;
  readonly version: string;
  readonly generation: number;
  readonly incarnation: string;
  readonly endpoint: string;
  readonly capabilities: JsonObject;
}

/** The limits of the startup line that this process keeps to; sizes in bytes, times in milliseconds. */
export interface Limits {
  readonly envelopeBytes: number;
  readonly payloadBytes: number;
  readonly batchSize: number;
  readonly queryDepth: number;
  readonly queryRows: number;
  readonly queryResultBytes: number;
  readonly proposalExpiryMs: number;
  readonly concurrency: number;
}
