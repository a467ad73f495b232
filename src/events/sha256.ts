/** SHA-256 as the journal uses it; the one-shot call of newer Node versions costs a third of a `Hash` object. */
import * as crypto from 'node:crypto';

type OneShot = (algorithm: string, data: string | Uint8Array, encoding: 'hex') => string;

const oneShot = (crypto as unknown as { hash?: OneShot }).hash;

/** Lower-case hex SHA-256 of bytes, or of the UTF-8 form of a text. */
export const sha256Hex: (data: string | Uint8Array) => string =
  oneShot === undefined
    ? (data) => crypto.createHash('sha256').update(data).digest('hex')
    : (data) => oneShot('sha256', data, 'hex');

/** What stands before the first record. */
export const ZERO_HASH = '0'.repeat(64);
