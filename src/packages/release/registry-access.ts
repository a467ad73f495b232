/** Opens a repository for a publisher: its address, and the credential of exactly its origin (15:95,149-150). */
import type { Clock } from '../../commands/ports.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Fetch } from '../http-get.js';
import { registryAddress } from '../oci/address.js';
import { createRegistryCredentials, type RegistryCredentials } from '../oci/credentials.js';
import { REGISTRY_TIMES, type RegistryAccess, type RegistryTimes } from '../oci/registry.js';
import { repositoryOf } from './repository.js';

export const USER_VARIABLE = 'CASTELLAN_REGISTRY_USERNAME';
export const PASSWORD_VARIABLE = 'CASTELLAN_REGISTRY_PASSWORD';

export interface AccessOptions {
  readonly repository: string | undefined;
  /** Plain HTTP to a literal loopback address. */
  readonly allowLoopbackHTTP: boolean;
  /** The operator's file; the environment's name and password stand in front of it. */
  readonly credentials?: RegistryCredentials;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly fetch?: Fetch;
  readonly times?: RegistryTimes;
}

/** Left: the repository may not be published to, or only half of a credential is given. Nothing is sent. */
export function registryAccess(options: AccessOptions): Either<string, RegistryAccess> {
  const repository = repositoryOf(options.repository);
  if (isLeft(repository)) return repository;
  const { host, path } = repository.right;
  const address = registryAddress({ scheme: 'oci', host, repository: path }, options.allowLoopbackHTTP);
  if (isLeft(address)) return address;
  const { origin } = address.right;
  const { [USER_VARIABLE]: user, [PASSWORD_VARIABLE]: password } = options.environment;
  if ((user === undefined || user === '') !== (password === undefined || password === ''))
    return left(`${USER_VARIABLE} and ${PASSWORD_VARIABLE} go together, and one of them is empty`);
  if (user?.includes(':')) return left(`${USER_VARIABLE} has a colon`);
  const secret = { value: `${user}:${password}` };
  const ofEnvironment =
    user === undefined || user === ''
      ? undefined
      : createRegistryCredentials([{ origin, kind: 'basic', secret, allowInsecure: options.allowLoopbackHTTP }], {});
  const credential = (ofEnvironment ?? options.credentials)?.for(origin);
  const { clock, signal, fetch = globalThis.fetch, times = REGISTRY_TIMES } = options;
  return right({ address: address.right, credential, clock, signal, fetch, times });
}
