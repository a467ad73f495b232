/** Strict reading of one YAML document into plain values (06:66-77): no aliases, anchors, tags, directives or repeated keys. */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import { type Either, left, right } from '../contract/fp.js';

const MAX_DEPTH = 16;

/** What is wrong with a document, in words that quote nothing of it. */
export type YamlProblem = string;

export interface YamlDocument {
  readonly value: unknown;
  /** True when the top collection is written in flow style, as a JSON array or object is. */
  readonly flow: boolean;
  readonly text: string;
}

/**
 * Parses UTF-8 bytes that hold exactly one YAML 1.2 document. The caller bounds the length first: 1 MiB takes about half a
 * second and blocks the thread. Refuses bad UTF-8, a second document, a directive, tags, anchors, aliases, merge keys,
 * keys that are not plain strings, repeated keys, and more than 16 levels (06:74).
 */
export function parseStrictYaml(bytes: Uint8Array): Either<YamlProblem, YamlDocument> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return left('it is not valid UTF-8');
  }
  // The library drops a byte order mark silently; a signed or hashed text has no place for one.
  if (text.startsWith('\ufeff')) return left('it starts with a byte order mark');
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    // Its own check is quadratic in the number of keys; `inspect` below does it with a set.
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
    resolveKnownTags: false,
  });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  if (document === undefined) return left('it is empty');
  if (documents.length > 1) return left('it holds more than one document');
  return inspect(document, text);
}

function inspect(document: Document, text: string): Either<YamlProblem, YamlDocument> {
  // An unknown tag is only a warning to the library.
  if (document.errors.length > 0 || document.warnings.length > 0) return left('it is not well-formed YAML');
  const directives = document.directives;
  if (directives?.yaml.explicit || Object.keys(directives?.tags ?? {}).length > 1) return left('it has a directive');
  const contents = document.contents as Node | null;
  if (contents === null) return left('it is empty');
  let problem: YamlProblem | undefined;
  const stop = (message: YamlProblem) => {
    problem = message;
    return visit.BREAK;
  };
  visit(document, (_key, node, path) => {
    if (isAlias(node)) return stop('it uses an alias');
    if (!isNode(node)) return undefined;
    if ('anchor' in node && node.anchor !== undefined) return stop('it uses an anchor');
    if (node.tag !== undefined) return stop('it uses a tag');
    // A path holds the document, and a pair and a value for each level of a map.
    if (path.length > 2 * MAX_DEPTH) return stop('it is nested too deeply');
    const keys = isMap(node) ? keyProblem(node) : undefined;
    return keys === undefined ? undefined : stop(keys);
  });
  if (problem !== undefined) return left(problem);
  const flow = 'flow' in contents && contents.flow === true;
  return right({ value: document.toJS({ maxAliasCount: 0 }) as unknown, flow, text });
}

function keyProblem(map: YAMLMap): YamlProblem | undefined {
  const seen = new Set<string>();
  for (const { key } of map.items) {
    const name = isScalar(key) ? key.value : key;
    if (typeof name !== 'string' || name === '') return 'it has a key that is not a name';
    if (name === '<<' || name === '__proto__') return 'it has a key that is not allowed';
    if (seen.has(name)) return 'it repeats a key';
    seen.add(name);
  }
  return undefined;
}
