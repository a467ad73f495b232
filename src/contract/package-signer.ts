/** Who signs the packages of a pipeline: the workflow file itself, at the ref of its run (15:183-186). */
import { type Either, left, right } from './fp.js';

export const PACKAGE_WORKFLOW = '.github/workflows/addons-package.yml';
export const SIGNER_ISSUER = 'https://token.actions.githubusercontent.com';

/** What a library that requires signatures names, and what an entry expects. */
export interface SignerPolicy {
  readonly requireSignature: true;
  readonly issuer: string;
  readonly identity: string;
}

/** `source` is the `owner/name` of the repository at the forge, `ref` the full ref of the run. */
export function signerOf(source: string, ref: string): Either<string, SignerPolicy> {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/.test(source))
    return left('the source is not written as owner/name');
  if (!/^refs\/(?:heads|tags)\/[A-Za-z0-9._/+-]{1,200}$/.test(ref))
    return left('the ref of the signer is not a full ref');
  const identity = `https://github.com/${source}/${PACKAGE_WORKFLOW}@${ref}`;
  return right({ requireSignature: true, issuer: SIGNER_ISSUER, identity });
}
