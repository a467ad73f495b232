/** Credentials of registries, bound by the operator to one exact origin each; apart from those of libraries (06:143-145). */
import { type Either, left, right } from '../../contract/fp.js';
import { readSecret, type SecretReference } from '../credentials.js';

export interface RegistryBinding {
  /** Exactly scheme, host and port of the registry, as `URL.origin` writes it. */
  readonly origin: string;
  /** `basic` holds `user:password`, which is also what a token is asked for with; `bearer` a token the registry takes as it is. */
  readonly kind: 'bearer' | 'basic';
  readonly secret: SecretReference;
  /** Other origins at which this registry's tokens may be asked for with the credential. */
  readonly tokenOrigins?: readonly string[];
  /** Sends it over plain HTTP too; for a registry on this machine only. */
  readonly allowInsecure?: boolean;
}

export interface RegistryCredential {
  readonly kind: 'bearer' | 'basic';
  readonly tokenOrigins: readonly string[];
  /** The `Authorization` header for one request to `url`. Left: why there is none, without a secret, a path or an address. */
  authorization(url: URL): Promise<Either<string, string>>;
}

export interface RegistryCredentials {
  /** The credential of exactly this origin; undefined when none is set up. */
  for(origin: string): RegistryCredential | undefined;
}

export const NO_REGISTRY_CREDENTIALS: RegistryCredentials = { for: () => undefined };

/** Closed over the bindings, so that nothing that prints or stores the result shows them. */
export function createRegistryCredentials(
  bindings: readonly RegistryBinding[],
  environment: Readonly<Record<string, string | undefined>>,
): RegistryCredentials {
  return {
    for: (origin) => {
      const binding = bindings.find((entry) => entry.origin === origin);
      if (binding === undefined) return undefined;
      const allowed = [binding.origin, ...(binding.tokenOrigins ?? [])];
      return {
        kind: binding.kind,
        tokenOrigins: allowed,
        authorization: async (url) => {
          if (!allowed.includes(url.origin)) return left('the credential of its registry may not be sent there');
          if (url.protocol !== 'https:' && binding.allowInsecure !== true)
            return left('the credential of its registry may not be sent over plain HTTP');
          const secret = await readSecret(binding.secret, environment);
          if (secret === undefined) return left('the credential of its registry could not be read');
          return right(
            binding.kind === 'bearer' ? `Bearer ${secret}` : `Basic ${Buffer.from(secret, 'utf8').toString('base64')}`,
          );
        },
      };
    },
  };
}
