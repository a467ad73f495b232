/** What a signed statement (in-toto, in a DSSE envelope) is about: the verifier checks its signature, and this its meaning. */
import { isLeft } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { parseStrict } from '../../contract/strict-json.js';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT = 'https://in-toto.io/Statement/v1';
/** Says "I signed this image"; other statements of the same signer, such as a test report, say something else. */
const SIGNED = 'https://sigstore.dev/cosign/sign/v1';
const MAX_SUBJECTS = 64;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why the statement is not the signature of the manifest with this digest (`sha256:` and hex); undefined when it is. */
export function statementProblem(payloadType: string, payload: Uint8Array, digest: string): string | undefined {
  if (payloadType !== PAYLOAD_TYPE) return 'it signs something that is not a statement about a package';
  const parsed = parseStrict(payload, { maxBytes: payload.byteLength });
  if (isLeft(parsed) || !isObject(parsed.right)) return 'it signs a statement that is malformed';
  const { _type: type, predicateType, subject } = parsed.right;
  if (type !== STATEMENT) return 'it signs a statement of a version that this server does not read';
  if (predicateType !== SIGNED) return 'it signs a statement of another kind';
  if (!Array.isArray(subject) || subject.length > MAX_SUBJECTS) return 'it signs a statement that is malformed';
  const about = (subject as readonly Json[]).some(
    (item) => isObject(item) && isObject(item.digest) && `sha256:${String(item.digest.sha256)}` === digest,
  );
  return about ? undefined : 'it is the signature of another package';
}
