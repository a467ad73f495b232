/**
 * Says who signed an image, or why it may not be installed: its signatures are found in its own registry and verified before a config or
 * a layer is fetched (04:330-336; 06:137-149). One good signature is enough; a registry that fails is an error, not an unsigned image.
 */
import type { Verifier } from '@sigstore/verify';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import type { SignatureCheck } from '../oci/oci-fetcher.js';
import { fetchFailed, unverified } from '../refused.js';
import { type Signer, signerRule } from './signer-rule.js';

/** The keys that signatures are verified with, from wherever the operator has them. */
export interface TrustSource {
  /** Left, as the end of a sentence, when they cannot be had now. */
  verifier(signal: AbortSignal): Promise<Either<string, Verifier>>;
}

/** Each costs two requests and about 16 ms. */
const MAX_SIGNATURES = 32;
/** Different reasons that one refusal tells. */
const MAX_REASONS = 3;

type Ask = Parameters<SignatureCheck['verify']>[0];

export function createSignatureCheck(trust: TrustSource): SignatureCheck {
  return { verify: (ask) => verify(ask, trust) };
}

async function verify(ask: Ask, trust: TrustSource): Promise<Either<Refusal, Signer>> {
  const { registry, digest, policy, signal } = ask;
  const rule = signerRule(policy);
  if (isLeft(rule)) return left(unverified(rule.left));
  // Loaded when a signature is verified: a start needs none of it.
  const [{ verifyBundle }, { fetchBundle, listBundles }] = await Promise.all([
    import('./bundle.js'),
    import('./referrers.js'),
  ]);
  const verifier = await trust.verifier(signal);
  if (isLeft(verifier)) return left(fetchFailed(`its signature cannot be checked: ${verifier.left}`));
  const listed = await listBundles(registry, digest);
  if (isLeft(listed)) return left(fetchFailed(`its signature cannot be read: ${listed.left.message}`));
  const reasons = new Set<string>();
  for (const one of listed.right.slice(0, MAX_SIGNATURES)) {
    const bundle = await fetchBundle(registry, one, digest);
    if (isLeft(bundle)) {
      if (!bundle.left.absent && bundle.left.bad !== true)
        return left(fetchFailed(`its signature cannot be read: ${bundle.left.message}`));
      reasons.add(bundle.left.message);
      continue;
    }
    const signer = verifyBundle(bundle.right, ask, rule.right, verifier.right);
    if (!isLeft(signer)) return right(signer.right);
    reasons.add(signer.left);
  }
  return left(unverified(wordsOf(listed.right.length, [...reasons])));
}

function wordsOf(listed: number, reasons: readonly string[]): string {
  if (listed === 0) return 'its library requires a signature, and it has none';
  const why = reasons.slice(0, MAX_REASONS).join('; ');
  const many = listed > MAX_SIGNATURES ? `none of the first ${MAX_SIGNATURES}` : `none of its ${listed}`;
  return listed === 1
    ? `its signature is not one its library accepts: ${why}`
    : `${many} signatures is one its library accepts: ${why}`;
}
