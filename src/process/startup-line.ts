/** What an add-on is told about itself on descriptor 4 (07:27-29; wire, "Add-on process"). */
import type { Ids, LaunchSpec } from '../commands/ports.js';
import { announced, type Limits } from '../contract/limits.js';
import type { Registration } from '../contract/wire.js';
import type { HostChannel } from './host-channel.js';

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

/** One line of JSON with its newline; the two fields of the host channel are there only for who is given it (07:196-202). */
export function startupLine(
  spec: LaunchSpec,
  registration: Registration,
  { credential, channel }: { readonly credential: string; readonly channel: HostChannel | undefined },
  limits: Limits,
): string {
  const host = channel && { hostEndpoint: channel.endpoint, hostCredential: channel.credential };
  return `${JSON.stringify({ registration, credential, dataDir: spec.dataDir, limits: announced(limits), ...host })}\n`;
}
