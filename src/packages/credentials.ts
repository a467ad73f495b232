/** Credentials of libraries, bound by the operator to one exact origin each; a source names only the reference (06:36-44). */
import { readFile } from 'node:fs/promises';
import { type Either, left, right } from '../contract/fp.js';

/** Where a secret is read from at each request, so that a changed file or variable counts without a restart. */
export type SecretReference = { readonly env: string } | { readonly file: string } | { readonly value: string };

export interface CredentialBinding {
  readonly reference: string;
  /** Exactly scheme, host and port, as `URL.origin` writes it. */
  readonly origin: string;
  readonly kind: 'bearer' | 'basic';
  /** A bearer token, or `user:password`. */
  readonly secret: SecretReference;
  /** Sends it over plain HTTP too; for a library on this machine only. */
  readonly allowInsecure?: boolean;
}

export interface CredentialResolver {
  /** The `Authorization` header for one request. Left: why there is none, without a secret, a path or an address. */
  authorization(reference: string, url: URL): Promise<Either<string, string>>;
}

const MAX_SECRET_BYTES = 16_384;

/** A resolver over trusted bindings; they are closed over, so that nothing that prints or stores the resolver shows them. */
export function createCredentialResolver(
  bindings: readonly CredentialBinding[],
  environment: Readonly<Record<string, string | undefined>>,
): CredentialResolver {
  return {
    authorization: async (reference, url) => {
      const binding = bindings.find((entry) => entry.reference === reference && entry.origin === url.origin);
      if (binding === undefined) return left('the credential of this library is not set up for its address');
      if (url.protocol !== 'https:' && binding.allowInsecure !== true)
        return left('the credential of this library may not be sent over plain HTTP');
      const secret = await readSecret(binding.secret, environment);
      if (secret === undefined) return left('the credential of this library could not be read');
      return right(
        binding.kind === 'bearer' ? `Bearer ${secret}` : `Basic ${Buffer.from(secret, 'utf8').toString('base64')}`,
      );
    },
  };
}

/** One line of printable ASCII; undefined when it cannot be read or is none. */
export async function readSecret(
  secret: SecretReference,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  let value: string | undefined;
  if ('value' in secret) value = secret.value;
  else if ('env' in secret) value = environment[secret.env];
  else value = await readFile(secret.file, 'utf8').catch(() => undefined);
  const line = value?.replace(/\r?\n$/, '');
  return line !== undefined && /^[\x20-\x7e]+$/.test(line) && line.length <= MAX_SECRET_BYTES ? line : undefined;
}
