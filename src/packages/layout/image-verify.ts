/** Verifies one image of a layout against everything that must say the same about it (15:20-44). */
import { createHash } from 'node:crypto';
import { isLeft, type t } from '../../contract/fp.js';
import type { Manifest } from '../../contract/manifest-types.js';
import { parseStrict } from '../../contract/strict-json.js';
import { iconProblem, MAX_ICON_BYTES } from '../icon-check.js';
import { fileProblem, readManifest } from '../manifest-check.js';
import { DEFAULT_PACKAGE_LIMITS } from '../package-limits.js';
import { checkSkillContents, checkSkills } from '../skills-check.js';
import { type PackageFile, RECEIPT } from '../stage-writer.js';
import type { TarEntry } from '../tar-reader.js';
import { LayoutProblem, readBlob } from './blobs.js';
import {
  annotationsOf,
  ConfigDocument,
  type ImageBlob,
  ImageDocument,
  MAX_DOCUMENT_BYTES,
  MEDIA,
  NOTE,
  PACKAGE_TYPE,
  platformOf,
  type Role,
} from './formats.js';
import { type LayerBudget, LayerReader } from './layer-reader.js';
import { MANIFEST_PATH, modeProblem, roleOf, rolesOf, runtimeProblem, uiFolder } from './layers.js';
import { isScript, MAX_SCRIPT_BYTES, scriptProblem } from './react-check.js';

export interface VerifiedImage {
  readonly blob: ImageBlob;
  readonly document: ImageDocument;
  /** The config and the layers, in their order; every one was read and hashed. */
  readonly blobs: readonly { readonly mediaType: string; readonly digest: string; readonly size: number }[];
  readonly platform: string;
  readonly revision?: string;
  readonly manifest: Manifest;
  readonly files: readonly (PackageFile & { readonly role: Role })[];
}

const MAX_MANIFEST_BYTES = 65_536;
const MAX_SKILL_BYTES = 262_144;

/** Decodes a document strictly, and says plainly which one is not what it should be. */
export function decode<A>(codec: t.Type<A>, bytes: Uint8Array, what: string): A {
  const parsed = parseStrict(bytes, { maxBytes: MAX_DOCUMENT_BYTES });
  if (isLeft(parsed)) throw new LayoutProblem(`${what} is not strict JSON: ${parsed.left.message}`);
  const value = codec.decode(parsed.right);
  if (isLeft(value)) throw new LayoutProblem(`${what} does not have the fields of a ${codec.name}`);
  return value.right;
}

/** `runtime`: the files the executable layer has beside the entrypoint, when a configuration lists them. Throws `LayoutProblem`. */
export async function verifyImage(
  layout: string,
  blob: ImageBlob,
  runtime?: readonly string[],
): Promise<VerifiedImage> {
  const document = await readDocument(layout, blob);
  const budget: LayerBudget = {
    expandedBytes: DEFAULT_PACKAGE_LIMITS.expandedBytes,
    entries: DEFAULT_PACKAGE_LIMITS.entries,
  };
  const last = new ImageLayer(layout, document, document.layers.length - 1, budget);
  const manifest = await last.manifest();
  const roles = rolesOf(manifest);
  const found = document.layers.map(({ annotations }) => annotations[NOTE.layer]);
  if (found.length !== roles.length || roles.some((role, at) => found[at] !== role))
    throw new LayoutProblem(`its layers must be ${roles.join(', ')}, in this order`);
  const diffIds: string[] = [];
  const content = new Content(manifest);
  for (const [at, role] of roles.entries()) {
    const layer = role === 'manifest' ? last : new ImageLayer(layout, document, at, budget);
    diffIds.push(role === 'manifest' ? last.diffId : await layer.read((entry) => content.take(entry, role)));
    if (role === 'manifest') for (const entry of last.entries) content.add(entry, role);
  }
  await content.judge(runtime);
  const platform = platformOf(manifest.os, manifest.arch);
  await checkConfig(layout, document, manifest, diffIds);
  checkNames(blob, document, manifest, platform);
  const revision = document.annotations[NOTE.revision];
  const blobs = [document.config, ...document.layers];
  return {
    blob,
    document,
    blobs,
    platform,
    manifest,
    files: content.files,
    ...(revision === undefined ? {} : { revision }),
  };
}

async function readDocument(layout: string, blob: ImageBlob): Promise<ImageDocument> {
  if (blob.mediaType !== MEDIA.manifest) throw new LayoutProblem('an image has another media type');
  const bytes = await readBlob(layout, blob, MAX_DOCUMENT_BYTES, 'the image manifest');
  const document = decode(ImageDocument, bytes, 'the image manifest');
  for (const type of [blob.artifactType, document.artifactType])
    if (type !== PACKAGE_TYPE) throw new LayoutProblem(`its artifact type is not ${PACKAGE_TYPE}`);
  if (document.config.mediaType !== MEDIA.config) throw new LayoutProblem('its config has another media type');
  if (document.layers.some(({ mediaType }) => mediaType !== MEDIA.layer))
    throw new LayoutProblem('a layer has another media type');
  if (document.layers.length === 0) throw new LayoutProblem('it has no layer');
  return document;
}

async function checkConfig(layout: string, document: ImageDocument, manifest: Manifest, diffIds: readonly string[]) {
  const bytes = await readBlob(layout, document.config, MAX_DOCUMENT_BYTES, 'the image config');
  const config = decode(ConfigDocument, bytes, 'the image config');
  if (config.os !== manifest.os || config.architecture !== manifest.arch)
    throw new LayoutProblem('the image config names another platform than the manifest of the package');
  if (config.rootfs.diff_ids.join() !== diffIds.join())
    throw new LayoutProblem('the image config lists other layers than there are');
}

function checkNames(blob: ImageBlob, document: ImageDocument, manifest: Manifest, platform: string): void {
  if (platformOf(blob.platform.os, blob.platform.architecture) !== platform)
    throw new LayoutProblem('the layout names another platform than the manifest of the package');
  const expected = annotationsOf({ id: manifest.id, version: manifest.version, platform });
  for (const [key, value] of Object.entries(expected))
    if (document.annotations[key] !== value)
      throw new LayoutProblem(`the annotation ${key} does not say what the manifest of the package says`);
}

/** One layer of an image under the rules of its files. */
class ImageLayer {
  readonly entries: (PackageFile & { readonly bytes: Buffer })[] = [];
  diffId = '';

  constructor(
    private readonly layout: string,
    private readonly document: ImageDocument,
    private readonly at: number,
    private readonly budget: LayerBudget,
  ) {}

  async read(take: (entry: TarEntry) => Promise<void>): Promise<string> {
    const blob = this.document.layers[this.at];
    if (blob === undefined) throw new LayoutProblem('it has no layer');
    const reader = new LayerReader(this.layout, blob, `layer ${this.at + 1}`, this.budget);
    for await (const entry of reader.entries()) await take(entry);
    return reader.diffId();
  }

  /** The last layer holds the manifest and nothing else; it is read first, since it says what the others must be. */
  async manifest(): Promise<Manifest> {
    this.diffId = await this.read(async (entry) => {
      if (entry.path !== MANIFEST_PATH || this.entries.length > 0)
        throw new LayoutProblem(`the last layer holds ${entry.path}, where only ${MANIFEST_PATH} belongs`);
      const problem = modeProblem(entry.path, entry.mode, false);
      if (problem !== undefined) throw new LayoutProblem(problem);
      this.entries.push(await whole(entry, MAX_MANIFEST_BYTES));
    });
    const [file] = this.entries;
    if (file === undefined) throw new LayoutProblem(`the last layer has no ${MANIFEST_PATH}`);
    const manifest = readManifest(file.bytes);
    if (isLeft(manifest)) throw new LayoutProblem(`the manifest is not valid: ${manifest.left}`);
    return manifest.right;
  }
}

/** The files of all layers together, each looked at once while it passes. */
class Content {
  readonly files: (PackageFile & { readonly role: Role })[] = [];
  private readonly paths = new Set<string>();
  private readonly folders = new Set<string>();
  private readonly kept = new Map<string, Buffer>();
  private readonly ui: string | undefined;

  constructor(private readonly manifest: Manifest) {
    const folder = uiFolder(manifest);
    if (isLeft(folder)) throw new LayoutProblem(folder.left);
    this.ui = folder.right;
  }

  async take(entry: TarEntry, role: Role): Promise<void> {
    const { path, mode } = entry;
    const problem = modeProblem(path, mode, path === this.manifest.executable);
    if (problem !== undefined) throw new LayoutProblem(problem);
    const icon = path === this.manifest.capabilities.ui?.icon;
    const script = role === 'ui' && isScript(path);
    if (!icon && !script && role !== 'skills') return this.add(await passed(entry), role);
    const file = await whole(entry, script ? MAX_SCRIPT_BYTES : role === 'skills' ? MAX_SKILL_BYTES : MAX_ICON_BYTES);
    const found = script ? scriptProblem(path, file.bytes) : undefined;
    if (found !== undefined) throw new LayoutProblem(found);
    if (!script) this.kept.set(path, file.bytes);
    this.add(file, role);
  }

  add({ path, size, sha256, executable }: PackageFile, role: Role): void {
    if (path === RECEIPT) throw new LayoutProblem(`it holds ${RECEIPT}, which the owner writes`);
    if (roleOf(path, this.ui) !== role) throw new LayoutProblem(`${path} does not belong into the layer "${role}"`);
    const parents = path
      .split('/')
      .slice(0, -1)
      .map((_part, at, parts) => parts.slice(0, at + 1).join('/'));
    if (this.paths.has(path)) throw new LayoutProblem(`${path} is there twice`);
    if (this.folders.has(path) || parents.some((parent) => this.paths.has(parent)))
      throw new LayoutProblem(`${path} is a file and a folder`);
    this.paths.add(path);
    for (const parent of parents) this.folders.add(parent);
    this.files.push({ path, size, sha256, executable, role });
  }

  async judge(runtime: readonly string[] | undefined): Promise<void> {
    const { manifest, files, kept } = this;
    const icon = manifest.capabilities.ui?.icon;
    const program = files.filter(({ role }) => role === 'executable').map(({ path }) => path);
    const problem =
      fileProblem(manifest, files) ??
      (runtime === undefined ? undefined : runtimeProblem(program, manifest.executable, runtime)) ??
      checkSkills(manifest, files) ??
      (await checkSkillContents(files, async (path) => kept.get(path) ?? Buffer.alloc(0))) ??
      (icon === undefined ? undefined : iconProblem(icon, kept.get(icon) ?? Buffer.alloc(0)));
    if (problem !== undefined) throw new LayoutProblem(problem);
  }
}

async function passed(entry: TarEntry): Promise<PackageFile> {
  const hash = createHash('sha256');
  for await (const piece of entry.body) hash.update(piece);
  return { path: entry.path, size: entry.size, sha256: hash.digest('hex'), executable: entry.executable };
}

async function whole(entry: TarEntry, maxBytes: number): Promise<PackageFile & { readonly bytes: Buffer }> {
  if (entry.size > maxBytes) throw new LayoutProblem(`${entry.path} is larger than ${maxBytes} bytes`);
  const pieces: Buffer[] = [];
  for await (const piece of entry.body) pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat(pieces);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path: entry.path, size: entry.size, sha256, executable: entry.executable, bytes };
}
