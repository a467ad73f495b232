/** The addresses a release may be fetched from, and those a library may have (06:42-44,53-56,158-162). */
import { type Either, left, right } from '../contract/fp.js';

export interface OciAddress {
  readonly scheme: 'oci';
  readonly host: string;
  readonly repository: string;
  readonly tag?: string;
}

export type ArtifactAddress = OciAddress | { readonly scheme: 'https' | 'http'; readonly url: URL };

const OCI =
  /^oci:\/\/((?:[a-z0-9](?:[a-z0-9.-]{0,253}[a-z0-9])?|\[[0-9a-f:]{2,45}\])(?::[0-9]{1,5})?)\/([a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?$/;

/** True for an address of this machine written as a number: 127.0.0.0/8 or `[::1]`, never a name such as `localhost`. */
export function isLiteralLoopback(hostname: string): boolean {
  return /^127(?:\.[0-9]{1,3}){3}$/.test(hostname) || hostname === '[::1]';
}

/**
 * An HTTPS address, or a plain HTTP one of a literal loopback address when `allowLoopbackHTTP` is on. Left, in words without the
 * address itself: not a URL, another scheme, credentials, a query or a fragment inside, over 2,048 characters.
 */
export function httpAddress(address: string, allowLoopbackHTTP: boolean): Either<string, URL> {
  if (address.length > 2048) return left('the address is longer than 2,048 characters');
  // The parser of URL strips white space, tabs and line breaks, and turns a backslash into a slash: none may be there.
  if (!/^[\x21-\x7e]+$/.test(address) || address.includes('\\'))
    return left('the address has characters it may not have');
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return left('the address is not an HTTPS address');
  if (url.username !== '' || url.password !== '' || address.includes('@'))
    return left('the address has credentials inside; use a credential reference');
  // `url.search` is empty for a bare `?` at the end, so the text is looked at.
  if (/[?#]/.test(address)) return left('the address has a query or a fragment');
  if (url.protocol === 'http:') {
    if (!isLiteralLoopback(url.hostname)) return left('the address is plain HTTP; use HTTPS');
    if (!allowLoopbackHTTP) return left('plain HTTP to this machine is not allowed for this library');
  }
  return right(url);
}

/** `oci://host[:port]/repository[:tag]`, or what `httpAddress` takes. */
export function artifactAddress(address: string, allowLoopbackHTTP: boolean): Either<string, ArtifactAddress> {
  if (!address.startsWith('oci://')) {
    const url = httpAddress(address, allowLoopbackHTTP);
    if (url._tag === 'Left') return url;
    return right({ scheme: url.right.protocol === 'https:' ? 'https' : 'http', url: url.right });
  }
  const match = address.length <= 2048 ? OCI.exec(address) : null;
  const [, host, repository, tag] = match ?? [];
  if (host === undefined || repository === undefined) return left('the address is not oci://host/repository');
  return right({ scheme: 'oci', host, repository, ...(tag === undefined ? {} : { tag }) });
}
