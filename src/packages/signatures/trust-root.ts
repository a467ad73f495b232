/** The keys that signatures are verified with: certificate authorities, certificate logs, transparency logs, time stamps (06:213-219). */
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, Verifier } from '@sigstore/verify';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { parseStrict } from '../../contract/strict-json.js';

export const MAX_TRUST_ROOT_BYTES = 1_048_576;
const MEDIA_TYPE = /^application\/vnd\.dev\.sigstore\.trustedroot[.+]/;

/** All of these stay on whatever the trust root is: one proof each of certificate log, transparency log and time of signing. */
const REQUIRED = { ctlogThreshold: 1, tlogThreshold: 1, timestampThreshold: 1 };

/** Left, as the end of a sentence: not a `trusted_root.json`, or without an authority or a log, which could verify nothing. */
export function readTrustRoot(bytes: Uint8Array): Either<string, Verifier> {
  const parsed = parseStrict(bytes, { maxBytes: MAX_TRUST_ROOT_BYTES });
  if (isLeft(parsed)) return left('is not valid JSON, or is larger than 1 MiB');
  try {
    const root = TrustedRoot.fromJSON(parsed.right);
    return MEDIA_TYPE.test(root.mediaType) ? verifierOf(root) : left('is not a trusted_root.json of Sigstore');
  } catch {
    return left('holds a key or a certificate that cannot be read');
  }
}

/** Throws for keys and certificates that cannot be read. */
export function verifierOf(root: TrustedRoot): Either<string, Verifier> {
  const missing = (
    [
      ['certificate authority', root.certificateAuthorities],
      ['certificate log', root.ctlogs],
      ['transparency log', root.tlogs],
    ] as const
  ).find(([, entries]) => entries.length === 0);
  if (missing !== undefined) return left(`names no ${missing[0]}`);
  return right(new Verifier(toTrustMaterial(root), REQUIRED));
}
