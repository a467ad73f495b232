/** Publishes a verified layout: images and index by digest first, the immutable tag last (15:135-138,149). */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { readBlob } from '../layout/blobs.js';
import type { Blob } from '../layout/formats.js';
import { type VerifiedLayout, verifyLayout } from '../layout/layout-verify.js';
import type { RegistryAccess } from '../oci/registry.js';
import { RegistryWriter } from '../oci/writer.js';
import { commitTag, isImmutable, registryTag, tagKind } from './channels.js';
import type { PublishedCheck } from './published-check.js';
import { type PublishedIndex, readPublished } from './published-index.js';

export interface PushInput {
  /** A joined layout. */
  readonly layout: string;
  /** The name after the add-on id: a version, or `sha-` and the commit. */
  readonly name: string;
  /** Keeps what an earlier run of the same version and commit published, instead of refusing. */
  readonly adoptExisting: boolean;
  /** Asked about content that is adopted, before it is answered as published. */
  readonly check?: PublishedCheck;
}

export interface Pushed {
  readonly tag: string;
  readonly digest: string;
  readonly images: readonly { readonly platform: string; readonly digest: string }[];
  /** True when the content was there before and is not the one of the layout. */
  readonly adopted: boolean;
}

/**
 * Left: the layout is refused, the tag is not one of its version or commit, the tag names other content, or the registry failed.
 * An immutable tag is looked up first and written last, so a run that fails leaves at most blobs that nothing refers to.
 */
export async function pushLayout(access: RegistryAccess, input: PushInput): Promise<Either<string, Pushed>> {
  const verified = await verifyLayout(input.layout);
  if (isLeft(verified)) return left(`the layout is refused: ${verified.left}`);
  const layout = verified.right;
  const problem = nameProblem(layout, input.name);
  if (problem !== undefined) return left(problem);
  const { index } = layout;
  if (index === undefined) return left('the layout has no index; join the layouts of its platforms first');
  const tag = registryTag(layout.id, input.name);
  if (isLeft(tag)) return tag;
  const published = await readPublished(access, tag.right);
  if (isLeft(published)) return published;
  const images = layout.images.map(({ platform, blob }) => ({ platform, digest: blob.digest }));
  const done = { tag: tag.right, digest: index.blob.digest, images, adopted: false };
  if (published.right !== undefined)
    return published.right.digest === done.digest ? right(done) : adopt(published.right, layout, input, tag.right);
  const sent = await send(new RegistryWriter(access), layout, input.layout, tag.right);
  if (isLeft(sent)) return sent;
  const stored = await readPublished(access, tag.right);
  if (isLeft(stored)) return stored;
  // A registry has no way to write a tag only when it is free: another run may have been between the two looks.
  return stored.right?.digest === done.digest ? right(done) : left(`${tag.right} was given other content meanwhile`);
}

/** Only an immutable tag is pushed; a moving one is moved by `promote`, which looks before it does (15:122-126,157-159). */
function nameProblem({ version, revision }: VerifiedLayout, name: string): string | undefined {
  if (!isImmutable(name))
    return 'only a version or sha- and 12 hex digits of the commit is pushed; other tags are promoted';
  if (tagKind(name) === 'version')
    return name === version ? undefined : `the tag is version ${name} and the layout is version ${version}`;
  return revision !== undefined && name === commitTag(revision)
    ? undefined
    : 'the tag is not of the commit of the layout';
}

async function adopt(
  published: PublishedIndex,
  layout: VerifiedLayout,
  { adoptExisting, check }: PushInput,
  tag: string,
): Promise<Either<string, Pushed>> {
  const same =
    published.id === layout.id &&
    published.version === layout.version &&
    published.revision !== undefined &&
    published.revision === layout.revision;
  if (!same) return left(`${tag} names other content already, and it is never overwritten`);
  if (!adoptExisting)
    return left(`${tag} names another build of this version and commit; keep that one with --adopt-existing`);
  const trusted = await (check?.(published) ?? right(undefined));
  return isLeft(trusted) ? trusted : right({ tag, digest: published.digest, images: [], adopted: true });
}

async function send(
  writer: RegistryWriter,
  layout: VerifiedLayout,
  folder: string,
  tag: string,
): Promise<Either<string, void>> {
  for (const { blobs } of layout.images)
    for (const blob of blobs) {
      const present = await writer.has(blob.digest);
      if (isLeft(present)) return present;
      const uploaded = present.right
        ? right(undefined)
        : await writer.upload({ ...blob, open: () => contentOf(folder, blob) });
      if (isLeft(uploaded)) return uploaded;
    }
  for (const { blob } of layout.images) {
    const bytes = await readBlob(folder, blob, Number.MAX_SAFE_INTEGER, 'the image manifest');
    const put = await writer.put(blob.digest, blob.mediaType, bytes, blob.digest);
    if (isLeft(put)) return put;
  }
  const { index } = layout;
  if (index === undefined) return left('the layout has no index');
  const { mediaType, digest } = index.blob;
  const byDigest = await writer.put(digest, mediaType, index.bytes, digest);
  return isLeft(byDigest) ? byDigest : writer.put(tag, mediaType, index.bytes, digest);
}

const contentOf = (folder: string, { digest }: Blob): ReadableStream<Uint8Array> =>
  Readable.toWeb(
    createReadStream(join(folder, 'blobs/sha256', digest.slice('sha256:'.length))),
  ) as ReadableStream<Uint8Array>;
