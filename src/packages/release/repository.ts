/** The repository that all add-ons publish to (15:57-59,92-95): named by whoever publishes, there is none by default. */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type ArtifactAddress, artifactAddress } from '../artifact-address.js';
import { registryTag } from './channels.js';

/** Where the official add-ons are published. */
export const OFFICIAL_REPOSITORY = 'quay.io/go-skynet/local-ai-addons';
export const REPOSITORY_VARIABLE = 'ADDON_OCI_REPOSITORY';

/** Repositories of backend images: an add-on pushed there would stand among things that are installed in another way. */
const BACKENDS = /(?:^|[-_./])backends?(?:$|[-_./])/;
const IMAGES: ReadonlySet<string> = new Set(['local-ai', 'localai']);

export interface Repository {
  readonly host: string;
  readonly path: string;
  /** `host/path`. */
  readonly text: string;
}

/** Reads `host/path`. Left: it is missing, has a tag, a digest or a scheme, or is a repository of backend images. */
export function repositoryOf(value: string | undefined): Either<string, Repository> {
  if (value === undefined || value === '')
    return left(`no repository is given (${REPOSITORY_VARIABLE} or --repository), and there is none by default`);
  if (value.includes('@')) return left('the repository has a digest; give it without');
  if (value.includes('://')) return left('the repository has a scheme; give it as host/path');
  const address = artifactAddress(`oci://${value}`, false);
  if (isLeft(address) || address.right.scheme !== 'oci') return left('the repository is not written as host/path');
  return judged(address.right);
}

function judged({
  host,
  repository: path,
  tag,
}: ArtifactAddress & { readonly scheme: 'oci' }): Either<string, Repository> {
  if (tag !== undefined) return left('the repository has a tag; give it without');
  if (BACKENDS.test(path) || IMAGES.has(path.split('/').at(-1) ?? ''))
    return left('the repository is one of backend images; add-ons are never published there');
  return right({ host, path, text: `${host}/${path}` });
}

/** The reference one add-on publishes one tag to, without asking anyone (15:94-95). */
export function targetOf(repository: string | undefined, addon: string, name: string): Either<string, string> {
  const read = repositoryOf(repository);
  if (isLeft(read)) return read;
  const tag = registryTag(addon, name);
  return isLeft(tag) ? tag : right(`oci://${read.right.text}:${tag.right}`);
}
