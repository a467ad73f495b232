/** Which image of a library a backend is installed from, and whether a library lists another build (04:279-283, 310-366). */
import type { Release } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { InstalledBackend } from '../ports.js';

export interface WantedBackend {
  readonly name: string;
  /** An exact version, or a channel. */
  readonly version: string;
  readonly os: string;
  readonly arch: string;
  /** What this host can do, the best first; `default` is tried after all of them. */
  readonly capabilities: readonly string[];
}

/** The image to install; `meta` is the backend that was asked for, where that one names others. */
export interface ChosenBackend {
  readonly release: Release;
  readonly meta?: string;
}

const notFound = (message: string): Either<Refusal, never> =>
  left(refuse('release_not_found', `${message} Nothing was installed.`));

/** A meta backend leads to one image of the same library and channel; it never leads to another meta backend. */
export function selectBackend(releases: readonly Release[], wanted: WantedBackend): Either<Refusal, ChosenBackend> {
  const found = only(
    backendsOf(releases, wanted.name).filter(
      (release) =>
        (isMetaBackend(release) || onPlatform(release, wanted)) &&
        (release.version === wanted.version || release.channel === wanted.version),
    ),
  );
  if (isLeft(found)) return found;
  const selection = wanted.version;
  if (!isMetaBackend(found.right)) return right({ release: { ...found.right, selection } });
  const { capabilities = {}, channel } = found.right;
  const able = [...wanted.capabilities, 'default'].find((name) => Object.hasOwn(capabilities, name));
  const target = able === undefined ? undefined : capabilities[able];
  if (target === undefined) return notFound('The backend names no image for what this machine can do.');
  const image = only(
    backendsOf(releases, target).filter(
      (release) => !isMetaBackend(release) && onPlatform(release, wanted) && release.channel === channel,
    ),
  );
  return isLeft(image) ? image : right({ release: { ...image.right, selection }, meta: wanted.name });
}

export interface BackendUpdate {
  readonly name: string;
  readonly library: string;
  readonly version: string;
  readonly digest: string;
}

/**
 * The build that the library lists now in the channel of the installed version, if it is another one. Undefined too when that
 * version is gone and there are several channels: nothing is guessed (04:361-363). A moving tag has no digest to compare.
 */
export function backendUpdate(
  releases: readonly Release[],
  installed: InstalledBackend,
  host: { readonly os: string; readonly arch: string },
): BackendUpdate | undefined {
  const builds = backendsOf(releases, installed.name).filter((release) => onPlatform(release, host));
  const channels = new Set(builds.map(({ channel }) => channel));
  const same = builds.find(({ version }) => version === installed.version);
  if (same === undefined && channels.size !== 1) return undefined;
  const channel = same === undefined ? [...channels][0] : same.channel;
  const [build, second] = builds.filter((release) => release.channel === channel && release.digest !== '');
  if (build === undefined || second !== undefined || build.digest === installed.digest) return undefined;
  return { name: installed.name, library: installed.library, version: build.version, digest: build.digest };
}

const backendsOf = (releases: readonly Release[], name: string) =>
  releases.filter(({ kind, id }) => kind === 'backend' && id === name);

const isMetaBackend = ({ artifact }: Release) => artifact === '';

const onPlatform = (release: Release, { os, arch }: { readonly os: string; readonly arch: string }) =>
  release.os === os && release.arch === arch;

function only(matches: readonly Release[]): Either<Refusal, Release> {
  const [first, second] = matches;
  if (first === undefined) return notFound('The library has no such backend or version for this machine.');
  if (second !== undefined) return notFound('The library lists more than one backend that fits, so none was chosen.');
  return right(first);
}
