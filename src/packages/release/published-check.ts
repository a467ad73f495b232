/** The check that published content is signed by whom the publisher says, before it is adopted or an alias moves to it (15:136-138,157-159). */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../commands/ports.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import { Registry, type RegistryAccess } from '../oci/registry.js';
import { publicTrust } from '../signatures/public-trust.js';
import { createSignatureCheck, type TrustSource } from '../signatures/signature-check.js';
import { readTrustFile } from '../signatures/trust-file.js';
import type { PublishedIndex } from './published-index.js';

/** Left: why what is published is not trusted. */
export type PublishedCheck = (published: PublishedIndex) => Promise<Either<string, void>>;

export interface ExpectedSigner {
  readonly issuer: string;
  readonly identity: string;
}

/** Asks for a signature of exactly this signer over the index, in its own registry. */
export function signedBy(access: RegistryAccess, signer: ExpectedSigner, trust: TrustSource): PublishedCheck {
  return async ({ digest, bytes }) => {
    const policy = { requireSignature: true, ...signer };
    const { signal } = access;
    const ask = { registry: new Registry(access), digest, bytes, policy, signal };
    const verified = await createSignatureCheck(trust).verify(ask);
    return isLeft(verified) ? left(`what is published is not trusted: ${reasonOf(verified.left)}`) : right(undefined);
  };
}

/** The reason alone: here nothing would have been installed anyway. */
const reasonOf = ({ message }: Refusal): string =>
  message.replace(/^[^:]*: /, '').replace(/\.? Nothing was installed\.$/, '');

/** The keys of a private Sigstore from a file, or else those of the public one. */
export async function trustOf(file: string | undefined, clock: Clock): Promise<Either<string, TrustSource>> {
  if (file !== undefined) return readTrustFile(file);
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  return right(publicTrust({ cachePath: join(homedir(), '.cache/castellan/sigstore'), clock, log }));
}
