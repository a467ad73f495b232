/** Writes JSON with one fault in it: what a serializer never produces and a strict reader must see. */
import type { Json } from '../../src/contract/json.js';

export interface Place {
  /** Keys and indexes from the root. */
  readonly path: readonly (string | number)[];
  readonly value: Json;
}

/** Every object and list below `value`, itself included. */
export function places(value: Json, path: readonly (string | number)[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const here = [{ path, value }];
  const inside = Array.isArray(value)
    ? value.flatMap((one, index) => places(one as Json, [...path, index]))
    : Object.entries(value).flatMap(([key, one]) => places(one as Json, [...path, key]));
  return [...here, ...inside];
}

export const objects = (value: Json): Place[] => places(value).filter((place) => !Array.isArray(place.value));

/** Every member of every object, by the path of its object and its key. */
export const members = (value: Json): { path: readonly (string | number)[]; key: string }[] =>
  objects(value).flatMap(({ path, value: object }) => Object.keys(object as object).map((key) => ({ path, key })));

export const escapeKey = (key: string): string =>
  `"${Array.from({ length: key.length }, (_, i) => `\\u${key.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;

const same = (a: readonly (string | number)[], b: readonly (string | number)[]) =>
  a.length === b.length && a.every((one, index) => one === b[index]);

type Edit = (text: string, key: string, write: (value: Json) => string) => string;

/** `value` as text, with the member `key` of the object at `path` written by `edit` (which gets its normal text). */
export function writeWith(
  value: Json,
  at: { readonly path: readonly (string | number)[]; readonly key: string },
  edit: Edit,
  path: readonly (string | number)[] = [],
): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = (one: Json, key: string | number) => writeWith(one, at, edit, [...path, key]);
  if (Array.isArray(value)) return `[${value.map((one, index) => inner(one as Json, index)).join(',')}]`;
  const parts = Object.entries(value).map(([key, one]) => {
    const text = `${JSON.stringify(key)}:${inner(one as Json, key)}`;
    return key === at.key && same(path, at.path) ? edit(text, key, (other) => JSON.stringify(other)) : text;
  });
  return `{${parts.filter((part) => part !== '').join(',')}}`;
}

export const duplicate: Edit = (text, key) => `${text},${JSON.stringify(key)}:null`;
export const duplicateEscaped: Edit = (text, key) => `${escapeKey(key)}:0,${text}`;
export const escaped: Edit = (text, key) => `${escapeKey(key)}${text.slice(JSON.stringify(key).length)}`;
export const drop: Edit = () => '';
export const unknown: Edit = (text) => `${text},"zzUnknown":1`;
export const recase: Edit = (text, key) => `${JSON.stringify(swapCase(key))}${text.slice(JSON.stringify(key).length)}`;
export const rename: Edit = (text, key) => `${JSON.stringify(`${key}_`)}${text.slice(JSON.stringify(key).length)}`;
export const deepen: Edit = (_, key) => `${JSON.stringify(key)}:${'['.repeat(65)}${']'.repeat(65)}`;
export const trailingComma: Edit = (text) => `${text},`;

const swapCase = (key: string): string => {
  const first = key.charAt(0);
  const swapped = first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase();
  return swapped + key.slice(1);
};
