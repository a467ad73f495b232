/** Moves the alias of a channel to a published package, and never backwards (15:164-181). */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { MEDIA } from '../layout/formats.js';
import type { RegistryAccess } from '../oci/registry.js';
import { RegistryWriter } from '../oci/writer.js';
import { branchChannel, isImmutable, MAIN_REF, registryTag, tagKind } from './channels.js';
import { type Ancestry, ancestryOf } from './git.js';
import type { PublishedCheck } from './published-check.js';
import { type PublishedIndex, readPublished } from './published-index.js';

export interface PromoteInput {
  readonly addon: string;
  /** `latest`, `development` or a branch channel. */
  readonly channel: string;
  /** The immutable name that the alias shall point at. */
  readonly name: string;
  /** What happened in the forge, and on which full ref. */
  readonly event: string;
  readonly ref: string;
  /** A checkout with the whole history. */
  readonly checkout: string;
  readonly check?: PublishedCheck;
}

export type Promoted =
  | { readonly moved: true; readonly tag: string; readonly digest: string }
  /** The alias stays where it is, as it should. */
  | { readonly moved: false; readonly tag: string; readonly reason: string };

/** The commit a channel names is not in the checkout; a person has to look at it. */
export const UNREACHABLE = 'E_UNREACHABLE';

/** Left: nothing was moved, and why; with `E_UNREACHABLE` in front when the commit of the alias is gone (15:169-175). */
export async function promote(access: RegistryAccess, input: PromoteInput): Promise<Either<string, Promoted>> {
  const tags = tagsOf(input);
  if (isLeft(tags)) return tags;
  const { alias, source } = tags.right;
  const candidate = await readPublished(access, source);
  if (isLeft(candidate)) return candidate;
  if (candidate.right === undefined) return left(`${source} is not published`);
  if (candidate.right.id !== input.addon) return left(`${source} is a package of ${candidate.right.id}`);
  const trusted = await (input.check?.(candidate.right) ?? right(undefined));
  if (isLeft(trusted)) return trusted;
  const current = await readPublished(access, alias);
  if (isLeft(current)) return current;
  if (current.right?.digest === candidate.right.digest)
    return right({ moved: false, tag: alias, reason: 'it points there already' });
  const verdict = await judge(input, candidate.right, current.right);
  if (isLeft(verdict)) return verdict;
  if (verdict.right !== undefined) return right({ moved: false, tag: alias, reason: verdict.right });
  const { bytes, digest } = candidate.right;
  const put = await new RegistryWriter(access).put(alias, MEDIA.index, bytes, digest);
  return isLeft(put) ? put : right({ moved: true, tag: alias, digest });
}

function tagsOf({ addon, channel, name }: PromoteInput): Either<string, { alias: string; source: string }> {
  const kind = tagKind(channel);
  if (kind !== 'reserved' && kind !== 'branch')
    return left('the channel is neither latest, development nor a branch channel');
  if (!isImmutable(name)) return left('only an immutable tag is promoted: a version, or sha- and 12 hex digits');
  const alias = registryTag(addon, channel);
  if (isLeft(alias)) return alias;
  const source = registryTag(addon, name);
  return isLeft(source) ? source : right({ alias: alias.right, source: source.right });
}

/** Right: undefined to move, or why the alias stays. */
async function judge(
  input: PromoteInput,
  candidate: PublishedIndex,
  current: PublishedIndex | undefined,
): Promise<Either<string, string | undefined>> {
  if (input.channel === 'latest') return judgeLatest(candidate, current);
  if (input.channel === 'development' && !(input.event === 'push' && input.ref === MAIN_REF))
    return left(`development only moves with a push to ${MAIN_REF}`);
  if (candidate.revision === undefined) return left('the package does not say which commit it was made from');
  if (current === undefined)
    return input.channel === 'development' ? right(undefined) : left('no new branch channel is created');
  if (current.revision === undefined) return left('the package that the channel names does not say its commit');
  const ancestry = await ancestryOf(input.checkout, candidate.revision, current.revision);
  return judgeAncestry(input, ancestry, current.revision);
}

function judgeAncestry(input: PromoteInput, ancestry: Ancestry, current: string): Either<string, string | undefined> {
  if (ancestry.kind === 'ancestor') return right('it names this commit or a later one');
  if (ancestry.kind === 'other') return right(undefined);
  if (ancestry.kind === 'failed' || ancestry.commit !== current)
    return left(ancestry.kind === 'failed' ? ancestry.reason : 'the commit of the package is not in the checkout');
  // A force-push made another history the truth of that branch; nobody but its own push may say so, and no branch owns
  // development (15:169-175).
  const owner = input.event === 'push' && branchChannel(input.ref) === input.channel;
  return owner
    ? right(undefined)
    : left(
        `${UNREACHABLE}: the commit that ${input.channel} names is not in the checkout, and this run may not replace it`,
      );
}

function judgeLatest(
  candidate: PublishedIndex,
  current: PublishedIndex | undefined,
): Either<string, string | undefined> {
  if (candidate.version.includes('-')) return right('a pre-release never becomes latest');
  if (current === undefined) return right(undefined);
  const order = compareStable(candidate.version, current.version);
  if (order < 0) return right(`it names ${current.version}, which is higher`);
  return order > 0 ? right(undefined) : left(`latest names other content of version ${current.version}`);
}

/** Orders the numbers of two versions; a pre-release of a version stands before it. */
function compareStable(a: string, b: string): number {
  const parts = (version: string) => [
    ...(version.split('-')[0] ?? '').split('.').map(Number),
    version.includes('-') ? 0 : 1,
  ];
  const [left, right] = [parts(a), parts(b)];
  for (const [at, part] of left.entries()) if (part !== right[at]) return part - (right[at] ?? 0);
  return 0;
}
