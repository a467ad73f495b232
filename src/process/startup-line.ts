/** What an add-on is told about itself on descriptor 4 (07:27-29; wire, "Add-on process"). */
import type { Ids, LaunchSpec } from '../commands/ports.js';
import { announced, type Limits } from '../contract/limits.js';
import type { Registration } from '../contract/wire.js';

/** New for every launch: neither the credential nor the incarnation is ever used again. */
export interface Secrets {
  /** 32 hex digits. */
  readonly incarnation: string;
  /** base64url of 32 random bytes. */
  readonly credential: string;
}

export function newSecrets(ids: Ids): Secrets {
  return { incarnation: ids.hex(16), credential: Buffer.from(ids.bytes(32)).toString('base64url') };
}

export function registrationOf(spec: LaunchSpec, incarnation: string, endpoint: string): Registration {
  const { addonId, version, generation, capabilities } = spec;
  return { protocol: 1, addonId, version, generation, incarnation, endpoint, capabilities };
}

/** One line of JSON with its newline. */
export function startupLine(spec: LaunchSpec, registration: Registration, credential: string, limits: Limits): string {
  return `${JSON.stringify({ registration, credential, dataDir: spec.dataDir, limits: announced(limits) })}\n`;
}
