/** The words of a manifest: names, plain texts, language maps, package paths, ranges (05:9-50; 14:213-220). */
import { foldCase } from '../case-fold.js';
import type { Json } from '../json.js';
import { integer, isObject, member, type Report, record, type Shape, stringOr, text } from '../shape.js';

export const NAME_PATTERN = '^[a-z][a-z0-9-]{0,63}$';
const NAME = new RegExp(NAME_PATTERN);

/** A namespace name (05:16). */
export const isName = (value: Json | undefined): value is string => typeof value === 'string' && NAME.test(value);

export const name: Shape = text({
  rule: 'name',
  says: 'a lower-case name: a letter, then letters, digits or hyphens, at most 64 characters',
  pattern: NAME_PATTERN,
  max: 64,
});

/** `major.minor.patch`, optionally a lower-case prerelease that starts with a letter (05:12-14). */
const NUMBER = '(?:0|[1-9][0-9]{0,8})';
export const VERSION_PATTERN = `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*)?$`;
const VERSION = new RegExp(VERSION_PATTERN);

export const isVersion = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.length <= 64 && VERSION.test(value);

export const version: Shape = text({
  rule: 'version',
  says: 'major.minor.patch, such as 1.2.3 or 1.2.3-beta.1, without aliases and build metadata',
  pattern: VERSION_PATTERN,
  max: 64,
});

/** No markup, no control or line separator, no direction embedding, override or isolate (05:50). */
const PLAIN_PATTERN = '^[^<>\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]+$';
const PLAIN = new RegExp(PLAIN_PATTERN, 'u');

/** Plain text of 1 to `max` characters. */
export const plain = (max: number): Shape =>
  text({
    rule: 'plain-text',
    says: `plain text of 1 to ${max} characters without <, >, control characters and direction overrides`,
    pattern: PLAIN_PATTERN,
    max,
  });

export function isPlain(value: Json | undefined, max: number): value is string {
  return typeof value === 'string' && value.length <= max * 2 && Array.from(value).length <= max && PLAIN.test(value);
}

/**
 * A BCP 47 tag with a primary language of two or three letters. The registered longer ones are not taken, so that a
 * wrapper such as `default` is never read as a language (02:32-33).
 */
const LANGUAGE_PATTERN =
  '^[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?' +
  '(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(?:-[0-9A-WY-Za-wy-z](?:-[A-Za-z0-9]{2,8})+)*(?:-x(?:-[A-Za-z0-9]{1,8})+)?$';
const LANGUAGE = new RegExp(LANGUAGE_PATTERN);
const MAX_TAGS = 16;

const languageMap = (entry: Shape): Shape => ({
  schema: {
    type: 'object',
    propertyNames: { pattern: LANGUAGE_PATTERN, maxLength: 35 },
    additionalProperties: entry.schema,
    minProperties: 1,
    maxProperties: MAX_TAGS,
  },
  check(value, at, report) {
    if (!isObject(value)) return report(at, 'type', 'This must be a string or a map from language to string.');
    const tags = Object.keys(value);
    if (tags.length === 0 || tags.length > MAX_TAGS)
      return report(at, 'size', `A language map has 1 to ${MAX_TAGS} languages.`);
    const seen = new Set<string>();
    for (const tag of tags) {
      const path = member(at, tag);
      if (tag.length > 35 || !LANGUAGE.test(tag)) report(path, 'language', 'This key must be a BCP 47 language tag.');
      else if (seen.has(foldCase(tag))) report(path, 'language', 'This language is given twice.');
      else entry.check(value[tag] as Json, path, report);
      seen.add(foldCase(tag));
    }
  },
});

/** Plain text, or a map from BCP 47 tag to plain text with at most 16 tags (05:50). */
export const localized = (max: number): Shape => stringOr(plain(max), languageMap(plain(max)));

/**
 * A normalized package-relative ASCII path (05:23-27): no absolute path, empty or dot segment, backslash, percent
 * escape or URL scheme, and none of the characters that end a path in a URL.
 */
const SEGMENT = '(?!\\.{1,2}(?:/|$))[!$&-.0-9;=@-\\[\\]^-{}~]+';
const PATH_PATTERN = `^${SEGMENT}(?:/${SEGMENT})*$`;
const PATH = new RegExp(PATH_PATTERN, 'u');
export const MAX_PATH = 256;

export const isPackagePath = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.length <= MAX_PATH && PATH.test(value);

export const packagePath: Shape = text({
  rule: 'path',
  says: `a normalized path inside the package: ASCII, at most ${MAX_PATH} characters, no leading slash, no "." or ".." segment, no backslash, percent sign or URL`,
  pattern: PATH_PATTERN,
  max: MAX_PATH,
});

const ICON_PATTERN = `^${SEGMENT}(?:/${SEGMENT})*\\.(?:png|webp|jpg|jpeg)$`;

export const iconPath: Shape = text({
  rule: 'icon',
  says: `the path of a .png, .webp, .jpg or .jpeg file inside the package, at most ${MAX_PATH} characters, never a URL`,
  pattern: ICON_PATTERN,
  max: MAX_PATH,
});

const MAX_LEVEL = 2_147_483_647;
const bounds = record({ min: integer(1, MAX_LEVEL), max: integer(1, MAX_LEVEL) });

/** An inclusive pair of positive integers (05:10-12). */
export const range: Shape = {
  schema: bounds.schema,
  check(value, at, report) {
    bounds.check(value, at, report);
    if (isInverted(value)) report(at, 'range', 'In a range, min must not be above max.');
  },
};

/** The UI SDK range keeps one generic message for everything that is wrong with it (05:232-234). */
export const sdkRange: Shape = {
  schema: bounds.schema,
  check(value, at, report) {
    let wrong = isInverted(value);
    const note: Report = () => {
      wrong = true;
    };
    bounds.check(value, at, note);
    if (wrong) report(at, 'sdk-range', 'invalid or incompatible UI');
  },
};

const isInverted = (value: Json): boolean =>
  isObject(value) && typeof value.min === 'number' && typeof value.max === 'number' && value.min > value.max;

/** A PascalCase export of the UI module, at most 64 characters (14:218). */
export const component: Shape = text({
  rule: 'component',
  says: 'a component name in PascalCase, at most 64 characters',
  pattern: '^[A-Z][A-Za-z0-9]{0,63}$',
  max: 64,
});

/** The exact name of a host operation: dotted lower-case words, never a prefix or a pattern (02:272). */
export const HOST_OP_PATTERN = '^[a-z][a-z0-9_-]*(?:\\.[a-z][a-z0-9_-]*)+$';
const HOST_OP = new RegExp(HOST_OP_PATTERN);

/** Judges syntax only; what is supported is the host's registered vocabulary (18:43). */
export const isHostOp = (value: string): boolean => value.length <= 128 && HOST_OP.test(value);

export const hostOp: Shape = text({
  rule: 'host-operation',
  says: 'the exact name of a host operation, such as workspace.materialize, without wildcard or trailing dot',
  pattern: HOST_OP_PATTERN,
  max: 128,
});
