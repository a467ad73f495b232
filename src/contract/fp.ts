/**
 * The one door to fp-ts and io-ts: `Either` for decisions and decoding, plain async/await for effects.
 * Both libraries are CommonJS without an `exports` map, so ESM needs the explicit `lib` paths kept here.
 */
import type { Either } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

export { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js';
export { t };

type Optional<P extends t.Props> = { readonly [K in keyof P]?: t.TypeOf<P[K]> };
type Required<P extends t.Props> = { readonly [K in keyof P]: t.TypeOf<P[K]> };

/**
 * An object codec that *rejects* unknown keys, where `t.exact` would strip them and `t.type` would keep them.
 * A required key must be an own property; an optional key that is present must decode.
 */
export function closed<R extends t.Props, O extends t.Props = Record<never, never>>(
  name: string,
  required: R,
  optional?: O,
): t.Type<Required<R> & Optional<O>> {
  type A = Required<R> & Optional<O>;
  const codecs = new Map<string, { codec: t.Mixed; required: boolean }>();
  for (const [key, codec] of Object.entries(required)) codecs.set(key, { codec, required: true });
  for (const [key, codec] of Object.entries(optional ?? {})) codecs.set(key, { codec, required: false });
  const fields = [...codecs];
  const quick = fields.every(([, { codec }]) => isSaysAll(codec));
  // A replay decodes a million payloads: the way without contexts and error lists is several times as fast.
  const fits = (input: unknown): boolean => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
    let present = 0;
    for (const [key, { codec, required: must }] of fields)
      if (!Object.hasOwn(input, key)) {
        if (must) return false;
      } else {
        if (!codec.is((input as Record<string, unknown>)[key])) return false;
        present += 1;
      }
    return Object.keys(input).length === present;
  };
  const validate = (input: unknown, context: t.Context): t.Validation<A> => {
    if (quick && fits(input)) return t.success(input as A);
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return t.failure(input, context, `${name}: not an object`);
    const errors: t.Errors = [];
    for (const key of Object.keys(input))
      if (!codecs.has(key))
        errors.push({ value: undefined, context, message: `${name}: unknown field "${key.slice(0, 64)}"` });
    for (const [key, { codec, required: must }] of codecs) {
      const present = Object.hasOwn(input, key);
      if (!present && must) errors.push({ value: undefined, context, message: `${name}: missing field "${key}"` });
      if (!present) continue;
      const result = codec.validate((input as Record<string, unknown>)[key], t.appendContext(context, key, codec));
      if (result._tag === 'Left') errors.push(...result.left);
    }
    return errors.length > 0 ? t.failures(errors) : t.success(input as A);
  };
  const is = (input: unknown): input is A => (quick ? fits(input) : validate(input, [])._tag === 'Right');
  const codec = new t.Type<A>(name, is, validate, (value) => value);
  DECLARED.set(codec, codecs);
  return codec;
}

type Fields = ReadonlyMap<string, { readonly codec: t.Mixed; readonly required: boolean }>;

const DECLARED = new WeakMap<t.Mixed, Fields>();

/** The fields a closed codec declares, for descriptions made from it; undefined for any other codec. */
export const fieldsOf = (codec: t.Mixed): Fields | undefined => DECLARED.get(codec);

/** Whether `is` refuses all that `validate` refuses and neither changes the value; `t.exact` lets extra keys through. */
function isSaysAll(codec: t.Mixed): boolean {
  const { _tag: tag, type, types } = codec as { _tag?: string; type?: t.Mixed; types?: readonly t.Mixed[] };
  if ((tag === 'ArrayType' || tag === 'RefinementType') && type !== undefined) return isSaysAll(type);
  if (tag === 'UnionType' && types !== undefined) return types.every(isSaysAll);
  return tag === undefined || PLAIN_TAGS.has(tag);
}

const PLAIN_TAGS = new Set(['StringType', 'NumberType', 'BooleanType', 'LiteralType', 'KeyofType', 'NullType']);

/** Says where and why a decoding failed, at most `limit` places, and never quotes the input. */
export function explain(errors: t.Errors, limit = 4): string {
  const places = errors.slice(0, limit).map((error) => {
    const path = error.context
      .map((entry) => entry.key)
      .filter((key) => key !== '')
      .join('.');
    const expected = error.context.at(-1)?.type.name ?? 'value';
    return error.message ?? `${path === '' ? 'value' : path}: not a valid ${expected}`;
  });
  const more = errors.length - places.length;
  return more > 0 ? `${places.join('; ')}; and ${more} more` : places.join('; ');
}

/** The value on the right, or a thrown `Error` with `label` and the left as its cause: where a left would be a fault of ours. */
export function must<A>(result: Either<unknown, A>, label: string): A {
  if (result._tag === 'Right') return result.right;
  throw new Error(label, { cause: result.left });
}
