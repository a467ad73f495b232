/**
 * Bodies kept beside the log: an event carries only the reference. The random salt makes a short text unguessable from
 * its reference, and erasing body and salt leaves the history provable.
 */
import { createHash } from 'node:crypto';
import type { SealedBody } from './journal.js';

export const SALT_BYTES = 32;

/** `sha256:` + hex of SHA-256 over the salt followed by the bytes. */
export function bodyRef(salt: Uint8Array, bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(salt).update(bytes).digest('hex')}`;
}

/** A body ready to be appended. @param salt 32 random bytes, from the injected source of randomness. */
export function sealBody(bytes: Uint8Array, salt: Uint8Array): SealedBody {
  if (salt.length !== SALT_BYTES) throw new Error(`a salt has ${SALT_BYTES} bytes, not ${salt.length}`);
  return { ref: bodyRef(salt, bytes), salt, bytes };
}
