/** A library index: one YAML document, a block list of releases, at most 1 MiB and 1,000 entries (06:51-112; 04, "How a reader treats"). */
import type { Release } from '../contract/api.js';
import { closed, type Either, isLeft, left, right, t } from '../contract/fp.js';
import { artifactAddress } from './artifact-address.js';
import { BackendEntry, readBackend } from './backend-entry.js';
import * as rule from './entry-rules.js';
import { MAX_ENTRIES, MAX_INDEX_BYTES, MAX_RELEASES } from './index-format.js';
import { parseStrictYaml } from './strict-yaml.js';

export interface LibraryIndex {
  readonly releases: readonly Release[];
  /** Entries of kinds this version does not read; their fields were not looked at. */
  readonly skipped: number;
  readonly skippedKinds: readonly string[];
}

export interface IndexOptions {
  readonly sourceId: string;
  /** From the protected source configuration; decides whether a plain HTTP artifact on this machine is a valid address. */
  readonly allowLoopbackHTTP: boolean;
}

const Entry = closed(
  'entry',
  {
    name: rule.displayName,
    version: rule.version,
    artifact: t.string,
    os: rule.platformPart,
    arch: rule.platformPart,
  },
  {
    kind: t.literal('addon'),
    id: rule.addonId,
    // Written by older tools; read for one release (06:53).
    addonId: rule.addonId,
    digest: rule.sha256,
    mutable: rule.isTrue,
    description: rule.description,
    channel: rule.channel,
    ui: rule.uiHints,
    tools: rule.toolNames,
    toolCount: rule.toolCount,
    requires: rule.requirements,
    shadows: rule.toolNames,
    skillShadows: rule.toolNames,
    policy: rule.expectedSigner,
  },
);
type Entry = t.TypeOf<typeof Entry>;

/**
 * Parses the bytes of an index. Left: why the whole index is refused, in words that quote nothing of it (06:47-48); one bad
 * entry refuses all. Blocks its thread for up to a second, so a server calls it through `index-parser.ts`.
 */
export function parseLibraryIndex(bytes: Uint8Array, options: IndexOptions): Either<string, LibraryIndex> {
  if (bytes.byteLength > MAX_INDEX_BYTES) return left('it is larger than 1 MiB');
  const parsed = parseStrictYaml(bytes);
  if (isLeft(parsed)) return parsed;
  const { value, flow, text } = parsed.right;
  if (!Array.isArray(value)) return left('it is not a list');
  if (flow && text.trim() !== '[]') return left('it is a JSON array; write it as a block list');
  if (value.length > MAX_ENTRIES) return left('it lists more than 4,000 entries');
  return readEntries(value, options);
}

function readEntries(entries: readonly unknown[], options: IndexOptions): Either<string, LibraryIndex> {
  const releases: Release[] = [];
  const identities = new Set<string>();
  const skippedKinds = new Set<string>();
  let skipped = 0;
  let addons = 0;
  for (const [index, raw] of entries.entries()) {
    const place = `entry ${index + 1}`;
    const kind = kindOf(raw);
    if (isLeft(kind)) return left(`${place} ${kind.left}`);
    if (kind.right !== 'addon' && kind.right !== 'backend') {
      skipped += 1;
      if (skippedKinds.size < 16) skippedKinds.add(kind.right);
      continue;
    }
    const release = kind.right === 'addon' ? readEntry(raw, options) : readBackendEntry(raw, options);
    if (isLeft(release)) return left(`${place} ${release.left}`);
    if (kind.right === 'addon' && ++addons > MAX_RELEASES) return left('it lists more than 1,000 releases');
    const { id, version, os, arch } = release.right;
    // A version is immutable, so one platform has it once, whatever channels name it (06:97-107).
    const identity = JSON.stringify([kind.right, id, version, os, arch]);
    if (identities.has(identity)) return left(`${place} repeats a release of the list`);
    identities.add(identity);
    releases.push(release.right);
  }
  return right({ releases, skipped, skippedKinds: [...skippedKinds].sort() });
}

function kindOf(raw: unknown): Either<string, string> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return left('is not a map of fields');
  if (!Object.hasOwn(raw, 'kind')) return right('addon');
  const kind = (raw as { kind: unknown }).kind;
  return typeof kind === 'string' && /^[a-z][a-z0-9-]{0,63}$/.test(kind)
    ? right(kind)
    : left('has a kind that is not a plain lower-case name');
}

function readBackendEntry(raw: unknown, options: IndexOptions): Either<string, Release> {
  const decoded = BackendEntry.decode(raw);
  return isLeft(decoded) ? left(problemOf(decoded.left)) : readBackend(decoded.right, options.sourceId);
}

function readEntry(raw: unknown, options: IndexOptions): Either<string, Release> {
  const decoded = Entry.decode(raw);
  if (isLeft(decoded)) return left(problemOf(decoded.left));
  const entry = decoded.right;
  if ((entry.id === undefined) === (entry.addonId === undefined)) return left('needs exactly one id');
  const artifact = artifactAddress(entry.artifact, options.allowLoopbackHTTP);
  if (isLeft(artifact)) return left(`has an artifact that is refused: ${artifact.left}`);
  if (entry.mutable === true ? entry.digest !== undefined : entry.digest === undefined)
    return left('needs a digest, or to be mutable without one');
  if (entry.mutable === true && artifact.right.scheme !== 'oci')
    return left('is mutable, which only an oci:// artifact may be');
  if (entry.tools !== undefined && (entry.toolCount ?? entry.tools.length) < entry.tools.length)
    return left('has a toolCount below the number of its tools');
  return right(releaseOf(entry, options.sourceId));
}

/** Source, selection and policy are the host's to say, so what an entry says of a policy ends here (06:77-79; 15:198-200). */
function releaseOf(entry: Entry, sourceId: string): Release {
  const { kind: _kind, policy: _policy, addonId, id = addonId ?? '', digest = '', ...rest } = entry;
  return { sourceId, kind: 'addon', id, digest, ...rest };
}

/** Names the field only when it is one of ours: an unknown one is text of the remote side. */
function problemOf(errors: t.Errors): string {
  const [first] = errors;
  if (first?.message !== undefined) {
    return first.message.includes('unknown field')
      ? 'has an unknown field'
      : `is not complete: ${first.message.replace(/^[a-z]+: /, '')}`;
  }
  const path = first?.context
    .slice(1)
    .map(({ key }) => key)
    .join('.');
  return `has a ${path ?? 'field'} that is not a ${first?.context.at(-1)?.type.name ?? 'valid value'}`;
}
