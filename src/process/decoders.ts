/** Reads the bodies of an add-on's answers. */
import { type Either, left, right } from '../contract/fp.js';
import type { Preview, Receipt, Result } from '../contract/wire.js';
import { parseJson } from './answers.js';

const object = <A>(body: Uint8Array): Either<string, A> => {
  const parsed = parseJson(body);
  if (parsed._tag === 'Left') return parsed;
  return typeof parsed.right === 'object' && parsed.right !== null ? right(parsed.right as A) : left('not an object');
};

export const decodeResult = (body: Uint8Array): Either<string, Result> => object(body);
export const decodePreview = (body: Uint8Array): Either<string, Preview> => object(body);
export const decodeReceipt = (body: Uint8Array): Either<string, Receipt> => object(body);
