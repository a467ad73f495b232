/** An entry of kind `backend` of a library index: one image for one platform, or a meta backend (04:233-288). */
import type { Release } from '../contract/api.js';
import { closed, type Either, isLeft, left, right, t } from '../contract/fp.js';
import { artifactAddress } from './artifact-address.js';
import * as rule from './entry-rules.js';

/** Strict: whatever stands in an entry beyond these is refused, a page or an icon of an add-on included (04:260-276). */
export const BackendEntry = closed(
  'entry',
  { kind: t.literal('backend'), id: rule.backendName, name: rule.displayName, version: rule.version },
  {
    alias: rule.backendName,
    description: rule.description,
    license: rule.displayName,
    icon: rule.httpsUrl,
    urls: rule.webUrls,
    tags: rule.tags,
    channel: rule.channel,
    schemaVersion: rule.headerVersion,
    artifact: t.string,
    digest: rule.sha256,
    mirrors: rule.mirrors,
    capabilities: rule.capabilities,
    mutable: rule.isTrue,
    os: rule.platformPart,
    arch: rule.platformPart,
  },
);
type BackendEntry = t.TypeOf<typeof BackendEntry>;

/** True for an entry that names other backends instead of an image (04:279-283). */
export const isMeta = (release: Pick<Release, 'artifact' | 'kind'>): boolean =>
  release.kind === 'backend' && release.artifact === '';

/** Left: what is wrong with an entry whose fields decoded, in words that quote nothing of it. */
export function readBackend(entry: BackendEntry, sourceId: string): Either<string, Release> {
  const { kind, schemaVersion, artifact, digest = '', os = '', arch = '', ...rest } = entry;
  const release = { sourceId, kind, ...rest, artifact: artifact ?? '', digest, os, arch };
  const problem = artifact === undefined ? metaProblem(entry) : imageProblem(entry, artifact);
  return problem === undefined ? right(release) : left(problem);
}

function metaProblem(entry: BackendEntry): string | undefined {
  if (entry.capabilities === undefined) return 'has neither an artifact nor capabilities';
  const { digest, os, arch, mirrors, mutable } = entry;
  return [digest, os, arch, mirrors, mutable].some((field) => field !== undefined)
    ? 'is a meta backend, which has no digest, platform or mirrors'
    : undefined;
}

function imageProblem(entry: BackendEntry, artifact: string): string | undefined {
  const address = artifactAddress(artifact, false);
  if (isLeft(address) || address.right.scheme !== 'oci') return 'has an artifact that is not an oci:// image';
  if (entry.os === undefined || entry.arch === undefined) return 'does not say its platform';
  if ((entry.mutable === true) === (entry.digest !== undefined)) return 'needs a digest, or to be mutable without one';
  // A mirror is installed with the digest of the artifact, and a moving tag has none.
  return entry.mutable === true && entry.mirrors !== undefined ? 'is mutable and can have no mirrors' : undefined;
}
