/** The shapes that cross between the owner and an add-on process (05, "Runtime wire version 1"; wire.md). Types only. */
import type { Actor } from './actor.js';
import type { Json, JsonObject } from './json.js';

export type Scope = 'read' | 'preview' | 'apply' | 'output' | 'act';

export interface ContractRequest {
  readonly addonId: string;
  readonly resourceId?: string;
  readonly operationId: string;
  readonly generation: number;
  readonly action: string;
  readonly arguments: JsonObject;
  /** A secret of the person and the name it is for; the owner alone puts them there (02:386-389). */
  readonly credential?: string;
  readonly resourceKey?: string;
}

export interface Authority {
  readonly actor: Actor;
  readonly scope: Scope;
  /** RFC 3339, UTC. */
  readonly expiresAt: string;
}

export interface Envelope {
  readonly request: ContractRequest;
  readonly authority: Authority;
}

export interface Revision {
  readonly schema: number;
  readonly data: number;
}

export interface Output {
  readonly handle: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

export interface Result {
  readonly payload?: Json;
  readonly outputs?: readonly Output[];
}

export interface EffectSummary {
  readonly count: number;
  readonly sample: readonly Json[];
}

export interface Preview {
  readonly operationId: string;
  readonly revision: Revision;
  readonly expiresAt: string;
  readonly summary: Json;
}

export type ReceiptState = 'pending' | 'committed' | 'rejected' | 'unknown';

export interface Receipt {
  readonly operationId: string;
  readonly state: ReceiptState;
  readonly revision: Revision;
  readonly result?: Result;
}

/** What an add-on is told about itself on descriptor 4, and must answer, field by field, on `GET /health`. */
export interface Registration {
  readonly protocol: 1;
  readonly addonId: string;
  readonly version: string;
  readonly generation: number;
  readonly incarnation: string;
  readonly endpoint: string;
  readonly capabilities: JsonObject;
}
