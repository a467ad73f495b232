/** Renders the entries of a library from what was built: pinned ones for a release, moving ones for development (15:82-88,188-196). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Manifest } from '../../contract/manifest-types.js';
import type { SignerPolicy } from '../../contract/package-signer.js';
import { type EntryRow, entryRow } from '../builder/index-writer.js';
import { platformParts } from '../layout/formats.js';
import { MANIFEST_PATH } from '../layout/layers.js';
import { verifyLayout } from '../layout/layout-verify.js';
import { readManifest } from '../manifest-check.js';
import { parseStrictYaml } from '../strict-yaml.js';
import { commitTag, isImmutable, tagKind } from './channels.js';
import { addonFolder, enabledLegs, type PackageConfig } from './platforms.js';
import { targetOf } from './repository.js';

export interface ReleaseInput {
  /** A joined layout. */
  readonly layout: string;
  readonly repository: string | undefined;
  /** The immutable name it is published under. */
  readonly name: string;
  /** The channel its entries are current for. */
  readonly channel: string;
  readonly signer?: SignerPolicy;
  /** The text of `gallery/addons/<id>.yaml.tmpl`. */
  readonly template?: string;
}

/** One entry for each platform image of a verified layout, pinned by its digest. Left: what is wrong with the inputs. */
export async function releaseEntries(input: ReleaseInput): Promise<Either<string, readonly EntryRow[]>> {
  const verified = await verifyLayout(input.layout);
  if (isLeft(verified)) return left(`the layout is refused: ${verified.left}`);
  const { id, version, revision, images, index } = verified.right;
  if (index === undefined) return left('the layout has no index; join the layouts of its platforms first');
  const { name, channel } = input;
  if (!isImmutable(name)) return left('an entry names an immutable tag: a version, or sha- and 12 hex digits');
  if (name !== version && (revision === undefined || name !== commitTag(revision)))
    return left('the tag is neither the version nor the commit of the layout');
  if (!['reserved', 'branch'].includes(tagKind(channel) ?? ''))
    return left('the channel is neither latest, development nor a branch channel');
  const artifact = targetOf(input.repository, id, name);
  if (isLeft(artifact)) return artifact;
  const rows: EntryRow[] = [];
  for (const { manifest, blob } of images) {
    const policy = input.signer === undefined ? {} : { policy: input.signer };
    const row = entryRow({ manifest, artifact: artifact.right, digest: blob.digest, channel, ...policy });
    const named = input.template === undefined ? right(row) : fill(input.template, row);
    if (isLeft(named)) return named;
    rows.push(named.right);
  }
  return right(rows);
}

export interface DevelopmentInput {
  readonly configs: readonly PackageConfig[];
  readonly repository: string | undefined;
  readonly signer?: SignerPolicy;
}

/** The mutable entries of every enabled platform, from the manifests of a checkout. Nothing has to be built for them. */
export async function developmentEntries(input: DevelopmentInput): Promise<Either<string, readonly EntryRow[]>> {
  const rows: EntryRow[] = [];
  for (const config of input.configs) {
    const manifest = await manifestOf(config);
    if (isLeft(manifest)) return manifest;
    const artifact = targetOf(input.repository, config.id, 'development');
    if (isLeft(artifact)) return artifact;
    for (const { platform } of enabledLegs(config)) {
      const of = { ...manifest.right, ...platformParts(platform) };
      const policy = input.signer === undefined ? {} : { policy: input.signer };
      rows.push(entryRow({ manifest: of, artifact: artifact.right, mutable: true, channel: 'development', ...policy }));
    }
  }
  return right(rows);
}

async function manifestOf(config: PackageConfig): Promise<Either<string, Manifest>> {
  const path = join(addonFolder(config), MANIFEST_PATH);
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return left(`${path} cannot be read`);
  const manifest = readManifest(bytes);
  return isLeft(manifest) ? left(`${path} is not valid: ${manifest.left}`) : manifest;
}

/** What a template may say for itself; the rest comes from the package and is the same in every template. */
const FREE = new Set(['name', 'description']);
const PLACEHOLDER = /\$\{([a-z]+)\}/g;

/**
 * Fills a template: one entry whose `${version}`, `${digest}` and the like stand for the fields of the package. A template cannot say
 * another thing about the package than the package itself. Left: what is wrong with it.
 */
function fill(template: string, row: EntryRow): Either<string, EntryRow> {
  const { policy, ...fields } = row;
  const known: Readonly<Record<string, unknown>> = { ...fields, issuer: policy?.issuer, identity: policy?.identity };
  let missing: string | undefined;
  const text = template.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = known[name];
    if (typeof value === 'string') return JSON.stringify(value);
    missing ??= name;
    return 'null';
  });
  if (missing !== undefined) return left(`the template asks for ${missing}, which is not known`);
  const yaml = parseStrictYaml(Buffer.from(text));
  if (isLeft(yaml)) return left(`the template is refused: ${yaml.left}`);
  const entries = yaml.right.value;
  const entry: unknown = Array.isArray(entries) && entries.length === 1 ? entries[0] : undefined;
  if (typeof entry !== 'object' || entry === null) return left('the template is not a list of one entry');
  const said = Object.entries(entry);
  const wrong = said.find(([key, value]) => !FREE.has(key) && !same(value, (row as Record<string, unknown>)[key]));
  if (wrong !== undefined) return left(`the template says another ${wrong[0]} than the package`);
  const free = Object.fromEntries(said.filter(([key]) => FREE.has(key)));
  return right({ ...row, ...free });
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
