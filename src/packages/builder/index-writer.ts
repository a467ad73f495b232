/** Writes a library index from the manifests of its packages: the YAML block list that `library-index.ts` reads (06:51-95). */
import { rename, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { LocalizedText, Manifest } from '../../contract/manifest-types.js';
import { ORIGIN } from '../index-format.js';
import { parseLibraryIndex } from '../library-index.js';

export interface IndexEntry {
  readonly manifest: Manifest;
  /** Where the package will be; `{{origin}}` in it stands for the address of the process that serves the library. */
  readonly artifact: string;
  /** Pins the package; absent only when it is mutable. */
  readonly digest?: string;
  /** The artifact is a moving tag (15:84-89). */
  readonly mutable?: true;
  readonly channel?: string;
  /** The signer a publisher expects; a reader puts the policy of its source in its place (15:198-202). */
  readonly policy?: { readonly requireSignature: boolean; readonly issuer: string; readonly identity: string };
  /** What the library says of a package whose manifest has no page to say it on. */
  readonly listing?: { readonly name?: string; readonly description?: string };
}

const TOOLS_SHOWN = 32;

/** The text of an index, one entry a package, in the order of id, version and platform. Left: what a reader would refuse. */
export const renderIndex = (entries: readonly IndexEntry[]): Either<string, string> =>
  renderRows(entries.map(entryRow));

/** The same from rows. */
export function renderRows(entries: readonly EntryRow[]): Either<string, string> {
  const rows = [...entries].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const text = rows.length === 0 ? '[]\n' : stringify(rows, { lineWidth: 0, aliasDuplicateObjects: false });
  const problem = indexProblem(text);
  return problem === undefined ? right(text) : left(problem);
}

/** Why a reader would refuse the text of an index, or undefined. */
export function indexProblem(text: string): string | undefined {
  const options = { sourceId: 'written', allowLoopbackHTTP: true };
  const read = parseLibraryIndex(Buffer.from(text.replaceAll(ORIGIN, 'http://127.0.0.1:1')), options);
  return isLeft(read) ? `the index would be refused: ${read.left}` : undefined;
}

/** Writes the index to `out`, by a temporary file and a rename. */
export async function writeIndex(entries: readonly IndexEntry[], out: string): Promise<Either<string, void>> {
  const text = renderIndex(entries);
  if (isLeft(text)) return text;
  await writeFile(`${out}.part`, text.right);
  await rename(`${out}.part`, out);
  return right(undefined);
}

export type EntryRow = ReturnType<typeof entryRow>;
const sortKey = ({ id, version, os, arch }: EntryRow) => `${id} ${version} ${os} ${arch}`;

/** One entry with what its manifest says before an install. */
export function entryRow({ manifest, artifact, digest, mutable, channel, policy, listing }: IndexEntry) {
  const { capabilities } = manifest;
  const ui = capabilities.ui;
  const title = defaultText(ui?.title);
  const description = defaultText(ui?.description);
  const hints = present({
    title,
    description,
    mainPage: ui?.mainPage,
    icon: ui?.icon,
    launchMode: manifest.launchMode,
  });
  return {
    id: manifest.id,
    name: title ?? listing?.name ?? manifest.id,
    ...present({ description: description ?? listing?.description }),
    version: manifest.version,
    ...present({ channel }),
    artifact,
    ...present({ digest, mutable }),
    os: manifest.os,
    arch: manifest.arch,
    ...(Object.keys(hints).length === 0 ? {} : { ui: hints }),
    ...toolHints(manifest),
    requires: requirements(manifest),
    ...present({ shadows: shadows(manifest), policy }),
  };
}

/** The chat tools a package declares, at most 32 by name (06, "Catalog document and limits"). */
export const toolHints = ({ capabilities: { tools } }: Manifest) => ({
  toolCount: tools.length,
  tools: tools.slice(0, TOOLS_SHOWN),
});

function requirements(manifest: Manifest) {
  const { host, api, protocol, dataFormat } = manifest;
  const sdk = manifest.capabilities.ui?.sdk;
  return { host, api, protocol, dataFormat, ...present({ sdk }) };
}

function shadows(manifest: Manifest): readonly string[] | undefined {
  const names = manifest.capabilities.toolDefinitions.flatMap(({ shadows: name }) =>
    name === undefined ? [] : [name],
  );
  return names.length === 0 ? undefined : [...new Set(names)].slice(0, TOOLS_SHOWN);
}

/** English where there is a map of languages, else its first entry. */
function defaultText(text: LocalizedText | undefined): string | undefined {
  if (text === undefined || typeof text === 'string') return text;
  return text.en ?? Object.values(text)[0];
}

function present<A extends object>(fields: A): { [K in keyof A]?: Exclude<A[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]?: Exclude<A[K], undefined>;
  };
}
