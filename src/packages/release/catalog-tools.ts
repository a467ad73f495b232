/** Writes into an existing index which chat tools its add-ons declare, and changes nothing else in it (06, "Catalog document and limits"). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isSeq, parseDocument } from 'yaml';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { indexProblem, toolHints } from '../builder/index-writer.js';
import { MAX_INDEX_BYTES } from '../index-format.js';
import { MANIFEST_PATH } from '../layout/layers.js';
import { readManifest } from '../manifest-check.js';

/**
 * The text of an index with `toolCount` and `tools` of every add-on that has a manifest in the folder `addons`; comments and all
 * other fields stay. Left: the index or a manifest is refused.
 */
export async function withTools(text: string, addons: string): Promise<Either<string, string>> {
  if (Buffer.byteLength(text) > MAX_INDEX_BYTES) return left('the index is larger than 1 MiB');
  const problem = indexProblem(text);
  if (problem !== undefined) return left(problem);
  const document = parseDocument(text);
  const entries = isSeq(document.contents) ? document.contents.items : [];
  for (const [at, entry] of entries.entries()) {
    if (!isMap(entry) || (entry.get('kind') ?? 'addon') !== 'addon') continue;
    const id = String(entry.get('id') ?? entry.get('addonId'));
    const bytes = await readFile(join(addons, id, MANIFEST_PATH)).catch(() => undefined);
    if (bytes === undefined) continue;
    const manifest = readManifest(bytes);
    if (isLeft(manifest)) return left(`the manifest of ${id} is not valid: ${manifest.left}`);
    const { toolCount, tools } = toolHints(manifest.right);
    document.setIn([at, 'toolCount'], toolCount);
    document.setIn([at, 'tools'], document.createNode(tools));
  }
  const written = entries.length === 0 ? text : document.toString({ lineWidth: 0 });
  const refused = indexProblem(written);
  return refused === undefined ? right(written) : left(refused);
}
