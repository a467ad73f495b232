/**
 * Verifies one Sigstore bundle: that these bytes of a manifest were signed, by whom, and that certificate, logs and time are in order
 * under the trust root. Whatever the verifier throws is a refusal (06:137-149, 213-219).
 */
import { type Bundle, bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, VerificationError, type Verifier } from '@sigstore/verify';
import { type Either, isLeft, left } from '../../contract/fp.js';
import { parseStrict } from '../../contract/strict-json.js';
import { namesOf } from './certificate-names.js';
import type { Signer, SignerRule } from './signer-rule.js';
import { statementProblem } from './statement.js';

/** A bundle of one signature is about 8 KiB. */
export const MAX_BUNDLE_BYTES = 262_144;
/** Log entries, time stamps and certificates of one bundle: each costs a signature to verify. */
const MAX_PARTS = 8;

export interface Subject {
  /** `sha256:` and hex of `bytes`; the caller compared them. */
  readonly digest: string;
  /** The manifest. */
  readonly bytes: Uint8Array;
}

/** The verified signer. Left: why not, as the end of a sentence that quotes nothing of the bundle. */
export function verifyBundle(
  bytes: Uint8Array,
  subject: Subject,
  rule: SignerRule,
  verifier: Verifier,
): Either<string, Signer> {
  const parsed = parseStrict(bytes, { maxBytes: MAX_BUNDLE_BYTES });
  if (isLeft(parsed)) return left('it is not a bundle of JSON, or is larger than 256 KiB');
  try {
    const bundle = bundleFromJSON(parsed.right);
    const problem = crowded(bundle) ?? wrongSubject(bundle, subject);
    if (problem !== undefined) return left(problem);
    const { identity } = verifier.verify(toSignedEntity(bundle, Buffer.from(subject.bytes)));
    const signer = namesOf((identity as { oids?: Parameters<typeof namesOf>[0] } | undefined)?.oids ?? []);
    if (isLeft(signer)) return signer;
    return rule.accepts(signer.right) ? signer : left('it is by another signer than its library requires');
  } catch (error) {
    return left(wordsOf(error));
  }
}

function crowded({ verificationMaterial: { content, tlogEntries, timestampVerificationData } }: Bundle) {
  if (content.$case === 'publicKey') return 'it is by a bare key, which says nothing about the signer';
  const chain = content.$case === 'x509CertificateChain' ? content.x509CertificateChain.certificates : [];
  const parts = [tlogEntries, timestampVerificationData?.rfc3161Timestamps ?? [], chain];
  return parts.some((list) => list.length > MAX_PARTS) ? 'it carries more proofs than a signature has' : undefined;
}

/** The verifier compares a message with the bytes it is given, but never looks at what a statement is about. */
function wrongSubject({ content }: Bundle, { digest }: Subject): string | undefined {
  if (content.$case === 'dsseEnvelope')
    return statementProblem(content.dsseEnvelope.payloadType, content.dsseEnvelope.payload, digest);
  const named = Buffer.from(content.messageSignature.messageDigest.digest).toString('hex');
  return `sha256:${named}` === digest ? undefined : 'it is the signature of another package';
}

function wordsOf(error: unknown): string {
  return error instanceof VerificationError ? (WORDS[error.code] ?? NOT_VALID) : NOT_VALID;
}

const NOT_VALID = 'it is not a valid signature';
const NOT_LOGGED = 'it is not recorded in a transparency log that this server trusts';
const WORDS: Readonly<Record<string, string>> = {
  CERTIFICATE_ERROR:
    'its certificate is not from an authority that this server trusts, was not logged, or was not valid when it signed',
  SIGNATURE_ERROR: 'it does not fit what it is said to sign',
  TIMESTAMP_ERROR: 'the time it was made at is not proved by a service that this server trusts',
  TLOG_ERROR: NOT_LOGGED,
  TLOG_BODY_ERROR: 'the transparency log recorded another signature than this one',
  TLOG_INCLUSION_PROMISE_ERROR: NOT_LOGGED,
  TLOG_INCLUSION_PROOF_ERROR: NOT_LOGGED,
  TLOG_MISSING_INCLUSION_ERROR: NOT_LOGGED,
};
