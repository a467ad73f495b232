/** What the settings of a library must satisfy before they are recorded (06:32-44; 04:286-312; decisions, 06 to 10). */
import type { SourceSettings } from '../../aggregates/source.js';
import type { SourcePolicy } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { identityPattern } from '../../contract/identity-pattern.js';
import { type Refusal, refuse } from '../../contract/refusal.js';

const invalid = (message: string): Either<Refusal, never> =>
  left(refuse('invalid_request', `${message} Nothing changed.`));

/** True for a literal loopback address; a name such as `localhost` can be pointed elsewhere. */
function isLoopback(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]';
}

/** Checks that the address is HTTPS, or HTTP on this machine where the policy opts in, and carries nothing else. */
function checkAddress(text: string, policy: SourcePolicy): Either<Refusal, void> {
  if (text.length > 2_048 || !URL.canParse(text)) return invalid('The address of the library is not a URL.');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return invalid('The address of a library cannot carry credentials.');
  if (text.includes('?') || text.includes('#'))
    return invalid('The address of a library cannot carry a query or a fragment.');
  if (url.protocol === 'https:') return right(undefined);
  if (url.protocol !== 'http:') return invalid('The address of a library must begin with https.');
  if (!isLoopback(url.hostname)) return invalid('A library over plain http must be on this machine (127.0.0.1).');
  if (policy.allowLoopbackHTTP !== true)
    return invalid('A library over plain http is opted into on the command line only (--allow-loopback-http).');
  return right(undefined);
}

/** Checks that a policy that requires signatures says whose. */
function checkPolicy(policy: SourcePolicy): Either<Refusal, void> {
  const { requireSignature, issuer, identity, identityRegex } = policy;
  if ([issuer, identity, identityRegex].some((text) => (text ?? '').length > 2_048))
    return invalid('The signer of a library is described in at most 2048 characters.');
  const signer = identity !== undefined || identityRegex !== undefined;
  if (!requireSignature)
    return issuer === undefined && !signer
      ? right(undefined)
      : invalid('A signer is named but no signature is required.');
  if (issuer === undefined || issuer === '' || !signer)
    return invalid('A library that requires signatures must name the issuer and the identity of its signer.');
  if (identity !== undefined && identityRegex !== undefined)
    return invalid('Name the signer by its identity or by a pattern, not by both.');
  if (identity === '' || identityRegex === '') return invalid('The identity of the signer is empty.');
  const pattern = identityRegex === undefined ? undefined : identityPattern(identityRegex);
  if (pattern !== undefined && isLeft(pattern))
    return invalid(`The pattern of the signer must be one expression from ^ to $, and it ${pattern.left}.`);
  return right(undefined);
}

/** Checks name, address, policy and credential reference, in this order; a refused reference is never echoed. */
export function checkSettings(settings: SourceSettings, credentials: ReadonlySet<string>): Either<Refusal, void> {
  const { name, url, policy, authReference } = settings;
  if (name.trim() === '' || name.length > 128) return invalid('A library needs a name of at most 128 characters.');
  const address = checkAddress(url, policy);
  if (isLeft(address)) return address;
  const signer = checkPolicy(policy);
  if (isLeft(signer)) return signer;
  if (authReference !== undefined && !credentials.has(authReference))
    return left(
      refuse('denied', 'The library names a credential that is not configured on this server. Nothing changed.'),
    );
  return right(undefined);
}
