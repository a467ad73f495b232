/** What an event of the forge may publish, and how the tags of add-ons are named (15:77-133). The only place that decides it. */
import { createHash } from 'node:crypto';
import { type Either, left, right } from '../../contract/fp.js';
import { isName, isVersion } from '../../contract/manifest/words.js';

export const MAIN_REF = 'refs/heads/master';
const SHORT = 12;
const LABEL = 40;
const RESERVED: ReadonlySet<string> = new Set(['latest', 'development']);

export interface PublishEvent {
  /** `pull_request`, `push` or `release`; anything else publishes nothing. */
  readonly event: string;
  /** The full ref: `refs/heads/...`, `refs/tags/...`, `refs/pull/...`. */
  readonly ref: string;
  /** The full name of the commit. */
  readonly sha: string;
  /** Of a release, as the forge says it; a prerelease version counts as one in any case. */
  readonly prerelease?: boolean;
  readonly draft?: boolean;
}

/** Names without the add-on id in front. Both absent: nothing is published. */
export interface Publication {
  readonly immutable?: string;
  /** Moves only after everything else was published (15:119). */
  readonly moving?: string;
}

const NOTHING: Publication = {};

/** Left: the event is not one that could be judged; nothing may be published then either. */
export function publicationOf(input: PublishEvent): Either<string, Publication> {
  const { event, ref, sha } = input;
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha)) return left('the commit is not given by its full name');
  if (!/^refs\/[^\s]+$/.test(ref)) return left('the ref is not a full ref such as refs/heads/master');
  if (event === 'release') return releaseOf(input);
  if (event !== 'push') return right(NOTHING);
  if (ref === MAIN_REF) return right({ immutable: commitTag(sha), moving: 'development' });
  const version = versionOf(ref);
  // A tag alone never advances `latest`: its release may still be held back (15:118).
  return right(version === undefined ? NOTHING : { immutable: version });
}

function releaseOf({ ref, draft, prerelease }: PublishEvent): Either<string, Publication> {
  if (draft === true) return right(NOTHING);
  const version = versionOf(ref);
  if (version === undefined) return left('the release is not of a tag such as refs/tags/v1.2.3');
  const stable = prerelease !== true && !version.includes('-');
  return right(stable ? { immutable: version, moving: 'latest' } : { immutable: version });
}

function versionOf(ref: string): string | undefined {
  const version = /^refs\/tags\/v(.+)$/.exec(ref)?.[1];
  return version !== undefined && isVersion(version) ? version : undefined;
}

export const commitTag = (sha: string): string => `sha-${sha.slice(0, SHORT)}`;

/** The channel of a branch by its full ref: the label is for people, the hash tells `Feature/X` from `feature-x` (15:125-131). */
export function branchChannel(ref: string): string {
  const name = ref.replace(/^refs\/heads\//, '');
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LABEL)
    .replace(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(ref).digest('hex').slice(0, SHORT);
  return `branch-${label === '' ? 'x' : label}-${hash}`;
}

/** The namespaces of 15:125-126; a name belongs to one at most. */
export type TagKind = 'reserved' | 'version' | 'commit' | 'branch';

export function tagKind(name: string): TagKind | undefined {
  if (RESERVED.has(name)) return 'reserved';
  if (isVersion(name)) return 'version';
  if (/^sha-[0-9a-f]{12}$/.test(name)) return 'commit';
  return /^branch-[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{12}$/.test(name) ? 'branch' : undefined;
}

export const isImmutable = (name: string): boolean => ['version', 'commit'].includes(tagKind(name) ?? '');

/** The registry's tag of a name: every add-on has its own in the one repository. Left: it is no name of 15:122-126. */
export function registryTag(addon: string, name: string): Either<string, string> {
  if (!isName(addon)) return left('the add-on is no lower-case name');
  if (tagKind(name) === undefined)
    return left('the tag is none of a version, sha- with 12 hex digits, latest, development or a branch channel');
  const tag = `${addon}-${name}`;
  return tag.length > 128 ? left('the tag is longer than the 128 characters of a registry') : right(tag);
}
