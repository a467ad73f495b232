/** The field rules of a library entry, as small codecs (05:13-50; 06:53-110). Their names say the rule, so an error can too. */
import { closed, isLeft, t } from '../contract/fp.js';
import { isName, isPlain, isVersion } from '../contract/manifest/words.js';
import { RESERVED_ADDON_IDS } from '../contract/manifest.js';
import { artifactAddress } from './artifact-address.js';
import { iconType } from './package-path.js';

/** A codec from a name and a test. */
function rule<A>(name: string, is: (input: unknown) => input is A): t.Type<A> {
  return new t.Type<A>(
    name,
    is,
    (input, context) => (is(input) ? t.success(input) : t.failure(input, context)),
    (value) => value,
  );
}
const text = (name: string, holds: (value: string) => boolean) =>
  rule(name, (input): input is string => typeof input === 'string' && holds(input));
const whole = (name: string, min: number, max: number) =>
  rule(name, (input): input is number => Number.isInteger(input) && Number(input) >= min && Number(input) <= max);
const list = <A>(name: string, item: t.Type<A>, max: number) =>
  rule(
    name,
    (input): input is readonly A[] =>
      Array.isArray(input) && input.length <= max && input.every(item.is) && new Set(input).size === input.length,
  );

const RESERVED = new Set<string>(RESERVED_ADDON_IDS);

/** Direction overrides and isolates, and other characters that reorder or hide text. */
const HIDDEN = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/;
const LONE_SURROGATE = /\p{Cs}/u;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

const visible = (value: string, max: number) =>
  !LONE_SURROGATE.test(value) && value.trim() !== '' && Array.from(value).length <= max && !HIDDEN.test(value);

export const toolName = text('name of at most 64 of a-z, 0-9 and -', isName);
export const addonId = text('add-on id that is not reserved', (value) => isName(value) && !RESERVED.has(value));
export const sha256 = text('digest of sha256: and 64 lower-case hex digits', (value) =>
  /^sha256:[0-9a-f]{64}$/.test(value),
);

export const version = text('major.minor.patch, with at most a lower-case prerelease', isVersion);

export const channel = text(
  'channel label of at most 128 characters',
  (value) => /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/.test(value) && !/\.\.|\/\/|\/$/.test(value),
);
export const platformPart = text('platform name of a-z, 0-9 and _', (value) => /^[a-z0-9][a-z0-9_]{0,31}$/.test(value));
export const displayName = text(
  'one line of at most 128 characters',
  (value) => visible(value, 128) && !CONTROL.test(value),
);
/** Line breaks and tabs may stand in a description: YAML block text ends with one. */
export const description = text(
  'text of at most 2,048 characters',
  (value) => visible(value, 2048) && !CONTROL.test(value.replace(/[\n\t]/g, ' ')),
);

const hint = (max: number) =>
  text(`plain text of at most ${max} characters`, (value) => isPlain(value, max) && visible(value, max));

/** Display hints before an install; the verified manifest replaces them afterwards (06:82-87). */
export const uiHints = closed(
  'ui',
  {},
  {
    title: hint(80),
    description: hint(280),
    mainPage: toolName,
    icon: text('image path inside the package', (value) => iconType(value) !== undefined),
    launchMode: text('launch mode "always"', (value) => value === 'always'),
  },
);

const positive = whole('whole number from 1', 1, Number.MAX_SAFE_INTEGER);
const bounds = closed('range', { min: positive, max: positive });
const range = rule(
  'range of whole numbers from 1',
  (input): input is { readonly min: number; readonly max: number } => bounds.is(input) && input.min <= input.max,
);

/** A hint for the update check only; the manifest of the package is checked again (13:202-207). */
export const requirements = closed(
  'requires',
  {},
  { host: range, api: range, protocol: range, dataFormat: range, sdk: range },
);

/** A backend name is the name of its directory (04:276-277). */
export const backendName = text(
  'backend name of letters, digits, dots, hyphens and underscores',
  (value) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(value) && !value.includes('..'),
);
/** Absent means 1; a higher one is of a host of the future (04:267). */
export const headerVersion = t.literal(1, 'schema version that this version reads');

const url = (value: string, protocols: readonly string[]) =>
  value.length <= 2048 &&
  /^[\x21-\x7e]+$/.test(value) &&
  URL.canParse(value) &&
  protocols.includes(new URL(value).protocol);
/** Shown by a browser, never fetched by this server (04:269). */
export const httpsUrl = text('https address', (value) => url(value, ['https:']));
export const webUrls = list(
  'list of at most 16 different http or https addresses',
  text('address', (value) => url(value, ['http:', 'https:'])),
  16,
);
export const tags = list(
  'list of at most 32 different words',
  text('word', (value) => visible(value, 64)),
  32,
);
export const mirrors = list(
  'list of at most 8 different oci:// images',
  text('oci:// image', (value) => {
    const address = artifactAddress(value, false);
    return !isLeft(address) && address.right.scheme === 'oci';
  }),
  8,
);
/** From what a host can do to the backend that serves it. */
export const capabilities = rule(
  'map of 1 to 64 capabilities to backend names',
  (input): input is Readonly<Record<string, string>> => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
    const entries = Object.entries(input);
    return (
      entries.length > 0 &&
      entries.length <= 64 &&
      entries.every(([name, id]) => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name) && backendName.is(id))
    );
  },
);

export const toolNames = list('list of at most 32 different names', toolName, 32);
export const toolCount = whole('whole number from 0 to 100,000', 0, 100_000);
export const isTrue = t.literal(true, '"true"');

const signer = text('signer of at most 512 characters', (value) => /^[\x21-\x7e]{1,512}$/.test(value));

/** The signer a publisher expects. It is read so that an entry may say it, and never believed: the policy is the source's (15:198-202). */
export const expectedSigner = closed('policy', { requireSignature: t.boolean }, { issuer: signer, identity: signer });
