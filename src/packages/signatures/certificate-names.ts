/**
 * The issuer and the identity of a verified certificate, read again from its extensions byte by byte. The verifier decodes them as
 * ASCII by dropping the highest bit, and of several names it takes the first; a comparison of texts must not depend on either.
 */
import { type Either, left, right } from '../../contract/fp.js';
import type { Signer } from './signer-rule.js';

export interface Extension {
  readonly oid?: { readonly id: readonly number[] } | undefined;
  readonly value: Uint8Array;
}

const SUBJECT_NAMES = '2.5.29.17';
const KEY_PURPOSES = '2.5.29.37';
const ISSUER_V1 = '1.3.6.1.4.1.57264.1.1';
const ISSUER_V2 = '1.3.6.1.4.1.57264.1.8';
/** The DER of the purpose "code signing", 1.3.6.1.5.5.7.3.3. */
const CODE_SIGNING = Buffer.from('06082b06010505070303', 'hex');

const SEQUENCE = 0x30;
const UTF8_STRING = 0x0c;
const EMAIL = 0x81;
const URI = 0x86;

/** Left when the certificate is not one for signing, or names nobody, or more than one. */
export function namesOf(extensions: readonly Extension[]): Either<string, Signer> {
  const only = (oid: string): Uint8Array | undefined => {
    const [first, second] = extensions.filter(({ oid: named }) => named?.id.join('.') === oid);
    return second === undefined ? first?.value : undefined;
  };
  if (!Buffer.from(only(KEY_PURPOSES) ?? []).includes(CODE_SIGNING)) return left('its certificate is not for signing');
  const names = element(only(SUBJECT_NAMES), SEQUENCE);
  const identity = plain(element(names, URI) ?? element(names, EMAIL));
  if (identity === undefined) return left('its certificate does not name exactly one signer');
  const hasV2 = extensions.some(({ oid }) => oid?.id.join('.') === ISSUER_V2);
  const issuer = plain(hasV2 ? element(only(ISSUER_V2), UTF8_STRING) : only(ISSUER_V1));
  return issuer === undefined
    ? left('its certificate does not say who vouches for the signer')
    : right({ issuer, identity });
}

/** The content of a DER element that has this tag and is all there is in `bytes`. */
function element(bytes: Uint8Array | undefined, tag: number): Uint8Array | undefined {
  if (bytes === undefined || bytes[0] !== tag) return undefined;
  const first = bytes[1] ?? 0xff;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > 2 || bytes.length < 2 + lengthBytes) return undefined;
  const length = lengthBytes === 0 ? first : Buffer.from(bytes).readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  return bytes.length === start + length ? bytes.subarray(start) : undefined;
}

/** Visible ASCII, as a URI, an e-mail address and an issuer are written. */
function plain(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length === 0 || bytes.some((byte) => byte < 0x21 || byte > 0x7e)) return undefined;
  return Buffer.from(bytes).toString('latin1');
}
