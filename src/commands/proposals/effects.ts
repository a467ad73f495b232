/** What a person is shown of a change: the exact number of effects and a bounded sample of them (10:73-74, 10:122-124). */
import { canonicalJson } from '../../contract/canonical-json.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { EffectSummary } from '../../contract/wire.js';

const MAX_ENTRIES = 20;
const MAX_BYTES = 16_384;

/** The first entries that fit in 20 entries and 16 KiB of canonical JSON. */
export function capSample(sample: readonly Json[]): readonly Json[] {
  const kept: Json[] = [];
  let bytes = 2;
  for (const entry of sample.slice(0, MAX_ENTRIES)) {
    bytes += Buffer.byteLength(canonicalJson(entry)) + 1;
    if (bytes > MAX_BYTES) break;
    kept.push(entry);
  }
  return kept;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The add-on's preview summary: its `count` and `sample` where it has them, else the whole summary as one effect. */
export function effectsOf(summary: Json): EffectSummary {
  if (!isObject(summary)) return { count: 1, sample: capSample([summary]) };
  const sample = Array.isArray(summary.sample) ? (summary.sample as readonly Json[]) : undefined;
  const count = summary.count;
  const counted = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
  if (sample === undefined && counted === undefined) return { count: 1, sample: capSample([summary]) };
  return { count: counted ?? sample?.length ?? 0, sample: capSample(sample ?? []) };
}

/** The effect of a creation is composed by the owner, whatever the add-on's preview says (10:122-124). */
export function creationEffects(args: JsonObject): EffectSummary {
  return { count: 1, sample: typeof args.name === 'string' ? capSample([{ name: args.name }]) : [] };
}
