/** The small codecs that event payloads are made of; every string and number of an event has a bound. */
import { t } from '../../contract/fp.js';

/** A string of at most `max` UTF-16 units, and of at least `min`. */
export const text = (max: number, min = 0): t.Type<string> => {
  const is = (input: unknown): input is string =>
    typeof input === 'string' && input.length >= min && input.length <= max;
  return new t.Type(
    `text(${min}..${max})`,
    is,
    (input, context) => (is(input) ? t.success(input) : t.failure(input, context)),
    (v) => v,
  );
};

const matching = (name: string, pattern: RegExp): t.Type<string> => {
  const is = (input: unknown): input is string => typeof input === 'string' && pattern.test(input);
  return new t.Type(
    name,
    is,
    (input, context) => (is(input) ? t.success(input) : t.failure(input, context)),
    (v) => v,
  );
};

/** `[a-z][a-z0-9-]{0,63}`: add-on, resource and operation ids (wire, "Identifiers"). */
export const namespaceId = matching('namespace id', /^[a-z][a-z0-9-]{0,63}$/);

/** `sha256:` and 64 lower-case hex digits. */
export const digest = matching('digest', /^sha256:[0-9a-f]{64}$/);

const integer = (name: string, least: number): t.Type<number> => {
  const is = (input: unknown): input is number => Number.isSafeInteger(input) && (input as number) >= least;
  return new t.Type(
    name,
    is,
    (input, context) => (is(input) ? t.success(input) : t.failure(input, context)),
    (v) => v,
  );
};

export const natural = integer('natural number', 0);
export const positive = integer('positive number', 1);
