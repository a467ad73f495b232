/** Who must have signed: the policy of a library as a rule that says yes to one issuer and to the identities it names (04:290-308). */
import type { PackageReceipt } from '../../commands/ports.js';
import type { SourcePolicy } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { identityPattern } from '../../contract/identity-pattern.js';

export type Signer = NonNullable<PackageReceipt['signer']>;

export interface SignerRule {
  accepts(signer: Signer): boolean;
}

/**
 * Left, in words for an administrator, for a policy that does not say exactly whose signature it wants: nothing that is empty,
 * absent or malformed ever means "anyone".
 */
export function signerRule({ issuer, identity, identityRegex }: SourcePolicy): Either<string, SignerRule> {
  if (typeof issuer !== 'string' || issuer === '') return left('its library does not say who vouches for the signer');
  if (identity !== undefined && identityRegex !== undefined)
    return left('its library names the signer by an identity and by a pattern');
  if (typeof identityRegex === 'string') {
    const pattern = identityPattern(identityRegex);
    if (isLeft(pattern)) return left(`the pattern of its library for the signer ${pattern.left}`);
    return right({ accepts: (signer) => signer.issuer === issuer && pattern.right.matches(signer.identity) });
  }
  if (typeof identity !== 'string' || identity === '') return left('its library does not say who the signer is');
  return right({ accepts: (signer) => signer.issuer === issuer && signer.identity === identity });
}
