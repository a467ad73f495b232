/** Where a registry is asked, and where it may send a download or a token request (06:145-149, 190-195). */
import { type Either, left, right } from '../../contract/fp.js';
import { isLiteralLoopback, type OciAddress } from '../artifact-address.js';

export interface RegistryAddress {
  /** Scheme, host and port, as `URL.origin` writes them. */
  readonly origin: string;
  readonly repository: string;
  /** The development opt-in of the library: plain HTTP to a literal loopback address. */
  readonly allowLoopbackHTTP: boolean;
}

/** Names people write for a registry that answers under another one. */
const ALIASES: Readonly<Record<string, string>> = {
  'docker.io': 'registry-1.docker.io',
  'index.docker.io': 'registry-1.docker.io',
};

/**
 * HTTPS, always; plain HTTP only for a literal loopback address of a library that opted in, and then nothing else is tried. Left
 * for a host that a URL would read as another one.
 */
export function registryAddress(address: OciAddress, allowLoopbackHTTP: boolean): Either<string, RegistryAddress> {
  const host = ALIASES[address.host] ?? address.host;
  const text = `https://${host}/`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A number such as 0x7f000001, or a port of more than 65535, is not what it looks like.
  if (url === undefined || (url.host !== host && `${url.host}:443` !== host))
    return left('the address of its registry is not a plain host and port');
  const plain = allowLoopbackHTTP && isLiteralLoopback(url.hostname);
  const origin = new URL(`${plain ? 'http' : 'https'}://${host}/`).origin;
  return right({ origin, repository: address.repository, allowLoopbackHTTP });
}

/**
 * An address that a registry names, for a download or a token: HTTPS, or plain HTTP to a literal loopback address with the opt-in;
 * no credentials inside. Undefined when it is none of these.
 */
export function namedByRegistry(text: string, base: URL, allowLoopbackHTTP: boolean): URL | undefined {
  if (text === '' || text.length > 4096 || !URL.canParse(text, base.href)) return undefined;
  const url = new URL(text, base);
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && allowLoopbackHTTP && isLiteralLoopback(url.hostname) ? url : undefined;
}

/** Whether a token may be asked for there without a credential: the registry itself, or a host of the same domain. */
export function sameDomain(registry: URL, realm: URL): boolean {
  if (registry.hostname === realm.hostname) return true;
  if (isLiteralLoopback(registry.hostname) && isLiteralLoopback(realm.hostname)) return true;
  const domain = ({ hostname }: URL) =>
    /^[0-9.]+$|\[/.test(hostname) ? hostname : hostname.split('.').slice(-2).join('.');
  return domain(registry).includes('.') && domain(registry) === domain(realm);
}
