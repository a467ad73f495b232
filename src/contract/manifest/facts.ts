/** What the rules across fields look at: a reading of a manifest that is safe while parts of it are still malformed. */
import type { Json, JsonObject } from '../json.js';
import { isList, isObject, item, member } from '../shape.js';

export interface Entry {
  readonly value: JsonObject;
  readonly at: string;
}

export interface Facts {
  readonly id: string | undefined;
  /** True when the `api` range is well formed and ends below 2 (02:5). */
  readonly oldApi: boolean;
  readonly capabilities: JsonObject;
  readonly tools: ReadonlySet<string>;
  readonly adminTools: ReadonlySet<string>;
  readonly definitions: readonly Entry[];
  readonly definition: ReadonlyMap<string, JsonObject>;
  readonly ui: JsonObject | undefined;
  readonly pages: ReadonlySet<string>;
}

export const CAPABILITIES = 'capabilities';

/** The objects of a list, with their paths; anything else is left out. */
export function entries(value: Json | undefined, at: string): Entry[] {
  if (!isList(value)) return [];
  return value.flatMap((one, index) => (isObject(one) ? [{ value: one, at: item(at, index) }] : []));
}

/** The strings of a list, with their paths. */
export function strings(value: Json | undefined, at: string): { value: string; at: string }[] {
  if (!isList(value)) return [];
  return value.flatMap((one, index) => (typeof one === 'string' ? [{ value: one, at: item(at, index) }] : []));
}

const stringSet = (value: Json | undefined): Set<string> => new Set(strings(value, '').map((one) => one.value));

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export function factsOf(manifest: JsonObject): Facts {
  const capabilities = objectOf(manifest.capabilities);
  const definitions = entries(capabilities.toolDefinitions, member(CAPABILITIES, 'toolDefinitions'));
  const definition = new Map<string, JsonObject>();
  for (const { value } of definitions)
    if (typeof value.name === 'string' && !definition.has(value.name)) definition.set(value.name, value);
  const max = objectOf(manifest.api).max;
  const ui = isObject(capabilities.ui) ? capabilities.ui : undefined;
  return {
    id: typeof manifest.id === 'string' ? manifest.id : undefined,
    oldApi: typeof max === 'number' && max < 2,
    capabilities,
    tools: stringSet(capabilities.tools),
    adminTools: stringSet(capabilities.adminTools),
    definitions,
    definition,
    ui,
    pages: stringSet(ui?.pages),
  };
}

/** The message of a field that needs a manifest that accepts API 2. */
export const NEEDS_API_2 = 'This needs manifest API 2: declare "api": {"min": 1, "max": 2}.';

/** Reports each value that was seen before, by the words of `says`. */
export function repeats(values: readonly { value: string; at: string }[], say: (at: string) => void): void {
  const seen = new Set<string>();
  for (const { value, at } of values) {
    if (seen.has(value)) say(at);
    seen.add(value);
  }
}
