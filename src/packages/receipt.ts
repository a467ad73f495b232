/** `receipt.json` of a published package: written once while staging, parsed strictly whenever it is read (06:178-180). */
import type { PackageReceipt } from '../commands/ports.js';
import { closed, type Either, isLeft, left, right, t } from '../contract/fp.js';
import type { JsonObject } from '../contract/json.js';
import { pathProblem } from './package-path.js';

/** 10,000 files with the longest names, and a manifest. */
export const MAX_RECEIPT_BYTES = 8 * 1_048_576;

const check = <A>(name: string, is: (input: unknown) => input is A) =>
  new t.Type<A>(
    name,
    is,
    (input, context) => (is(input) ? t.success(input) : t.failure(input, context)),
    (value) => value,
  );
const hex = check('hex', (input): input is string => typeof input === 'string' && /^[0-9a-f]{64}$/.test(input));
const digest = check(
  'digest',
  (input): input is string => typeof input === 'string' && /^sha256:[0-9a-f]{64}$/.test(input),
);
const path = check('path', (input): input is string => typeof input === 'string' && pathProblem(input) === undefined);
const size = check('size', (input): input is number => Number.isSafeInteger(input) && Number(input) >= 0);
const object = check(
  'object',
  (input): input is JsonObject => typeof input === 'object' && input !== null && !Array.isArray(input),
);

const Receipt = closed(
  'receipt',
  {
    addonId: t.string,
    version: t.string,
    sourceId: t.string,
    channel: t.string,
    selection: t.string,
    artifact: t.string,
    digest,
    verification: t.union([t.literal('sha256'), t.literal('sha256+sigstore')]),
    os: t.string,
    arch: t.string,
    manifestDigest: digest,
    manifest: object,
    files: t.readonlyArray(closed('file', { path, size, sha256: hex, executable: t.boolean })),
  },
  {
    signer: closed('signer', { issuer: t.string, identity: t.string }),
    icon: closed('icon', { path, sha256: hex, size, mediaType: t.string }),
  },
);

export const encodeReceipt = (receipt: PackageReceipt): Uint8Array =>
  Buffer.from(`${JSON.stringify(receipt, undefined, 1)}\n`, 'utf8');

/** Left when the bytes are not a receipt this version wrote. */
export function decodeReceipt(bytes: Uint8Array): Either<string, PackageReceipt> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return left('its receipt is damaged');
  }
  const decoded = Receipt.decode(value);
  return isLeft(decoded) ? left('its receipt is damaged') : right(decoded.right);
}
