/** Which add-ons an administrator lets call which host operations: the flag and the policy file (07:188-193; 17:1-55). Pure. */
import { type Either, isLeft, left, right } from './fp.js';
import { isObject } from './shape.js';
import { parseStrict } from './strict-json.js';

/** Prefixes of operation names by add-on id. They say nothing of who signed what runs under the id (17:101-102). */
export type HostGrants = ReadonlyMap<string, readonly string[]>;

export const NO_GRANTS: HostGrants = new Map();
/** Bytes of a policy file (17:4-5). */
export const MAX_POLICY_BYTES = 65_536;
const MAX_ADDONS = 128;
const MAX_PREFIXES = 32;
const ID = /^[a-z0-9][a-z0-9-]*$/;
/** Lowercase segments that each end in a dot: neither a pattern nor the name of an operation (17:35-38). */
const PREFIX = /^(?:[a-z]+\.)+$/;

type Pair = readonly [id: string, prefix: string];

/** One decision from its pairs. Left: one sentence that names what is wrong. The answer shares nothing with the input. */
function grantsOf(ids: Iterable<string>, pairs: Iterable<Pair>): Either<string, HostGrants> {
  const grants = new Map<string, string[]>([...ids].map((id) => [id, []]));
  for (const [id, prefix] of pairs) {
    const prefixes = grants.get(id) ?? [];
    if (!PREFIX.test(prefix))
      return left(
        `${quoted(prefix)} is no prefix of operations: lowercase letters, each segment with a dot behind it, such as workspace.`,
      );
    if (prefixes.includes(prefix)) return left(`${quoted(prefix)} is named twice for ${quoted(id)}`);
    grants.set(id, [...prefixes, prefix]);
  }
  for (const [id, prefixes] of grants) {
    if (!ID.test(id)) return left(`${quoted(id)} is no add-on id`);
    if (prefixes.length > MAX_PREFIXES) return left(`${quoted(id)} has more than ${MAX_PREFIXES} prefixes`);
  }
  return grants.size > MAX_ADDONS ? left(`it names more than ${MAX_ADDONS} add-ons`) : right(grants);
}

const quoted = (text: string) => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);

/** The value of `--addon-host-ops`: `id=prefix.` pairs with commas between them; empty names nobody (07:188-191). */
export function parseHostOps(text: string): Either<string, HostGrants> {
  if (text === '') return right(NO_GRANTS);
  const pairs: Pair[] = [];
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    if (at < 0) return left(`${quoted(part)} is no pair of an add-on id and a prefix, such as sandbox=workspace.`);
    pairs.push([part.slice(0, at), part.slice(at + 1)]);
  }
  return grantsOf([], pairs);
}

/** A policy file, whole or not at all: exactly `schemaVersion` 1 and `grants` (17:31-38). Left: why it cannot be used. */
export function parseHostPolicy(bytes: Uint8Array): Either<string, HostGrants> {
  const read = parseStrict(bytes, { maxBytes: MAX_POLICY_BYTES, exactIntegers: true });
  if (isLeft(read)) return left(read.left.message.replace(/\.$/, ''));
  const policy = read.right;
  if (!isObject(policy)) return left('it is not a JSON object');
  const unknown = Object.keys(policy).find((key) => key !== 'schemaVersion' && key !== 'grants');
  if (unknown !== undefined) return left(`${quoted(unknown)} is no field of it`);
  if (policy.schemaVersion !== 1) return left('"schemaVersion" must be 1');
  const { grants } = policy;
  if (!isObject(grants)) return left('"grants" must be an object');
  const pairs: Pair[] = [];
  for (const [id, prefixes] of Object.entries(grants)) {
    if (!Array.isArray(prefixes) || prefixes.some((prefix) => typeof prefix !== 'string'))
      return left(`the prefixes of ${quoted(id)} must be a list of texts`);
    for (const prefix of prefixes) pairs.push([id, prefix as string]);
  }
  return grantsOf(Object.keys(grants), pairs);
}

/** What each add-on is granted, decided once: a copy, which nothing that happens later changes (07:161-162; 17:52-55). */
export function hostOpPolicies(
  vocabulary: ReadonlySet<string>,
  grants: HostGrants,
): (addonId: string) => { readonly vocabulary: ReadonlySet<string>; readonly grants: readonly string[] } {
  const names = new Set(vocabulary);
  const decided = new Map([...grants].map(([id, prefixes]) => [id, [...prefixes]]));
  return (addonId) => ({ vocabulary: names, grants: decided.get(addonId) ?? [] });
}
