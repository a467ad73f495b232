/** Reading a manifest strictly, and judging whether it fits a host (05:3-50, 05:149-178; 02:3-9). */
import { type Either, left, right } from './fp.js';
import type { JsonObject } from './json.js';
import { DEFAULT_LIMITS } from './limits.js';
import { checkManifest } from './manifest/document.js';
import type { Capabilities, Manifest, Range } from './manifest-types.js';
import { type Refusal, refuse } from './refusal.js';
import { isObject, type Problem, Problems } from './shape.js';
import { MAX_DEPTH, parseStrict } from './strict-json.js';

export { RESERVED_ADDON_IDS } from './manifest/document.js';
export type ManifestProblem = Problem;

/** Reads `manifest.json`: at most 64 KiB of strict JSON, one object, every rule of the chapters. All problems at once. */
export function parseManifest(bytes: Uint8Array | string): Either<readonly ManifestProblem[], Manifest> {
  const parsed = parseStrict(bytes, { maxBytes: DEFAULT_LIMITS.manifestBytes, maxDepth: MAX_DEPTH });
  if (parsed._tag === 'Left')
    return left([{ path: '$', rule: parsed.left.reason.replace('_', '-'), message: parsed.left.message }]);
  if (!isObject(parsed.right)) return left([{ path: '$', rule: 'type', message: 'A manifest must be a JSON object.' }]);
  const problems = new Problems();
  checkManifest(parsed.right, problems.report);
  const all = problems.all();
  return all.length > 0 ? left(all) : right(typed(parsed.right));
}

/** The checked object under its types; the flags that may be left out are filled in. */
function typed(raw: JsonObject): Manifest {
  const { capabilities, ...rest } = raw as unknown as Omit<Manifest, 'capabilities' | 'raw'> & {
    readonly capabilities: Partial<Capabilities>;
  };
  return {
    ...rest,
    capabilities: {
      ...capabilities,
      service: capabilities.service ?? false,
      tools: capabilities.tools ?? [],
      toolDefinitions: capabilities.toolDefinitions ?? [],
      adminTools: capabilities.adminTools ?? [],
      undo: capabilities.undo ?? false,
      actions: capabilities.actions ?? false,
    },
    raw,
  };
}

/** What a host is: its platform, and the levels it speaks. */
export interface HostProfile {
  readonly os: string;
  readonly arch: string;
  readonly host: Range;
  readonly api: Range;
  readonly protocol: Range;
  readonly dataFormat: Range;
  readonly sdk: number;
}

/** The one place of the SDK version this host provides (05:151). */
export const HOST_SDK = 2;

const ONE: Range = { min: 1, max: 1 };

/** The profile of this build on a platform named as Node names it (`process.platform`, `process.arch`). */
export function hostProfile(platform: string, arch: string): HostProfile {
  const archs: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
  return {
    os: platform === 'win32' ? 'windows' : platform,
    arch: archs[arch] ?? arch,
    host: ONE,
    api: { min: 1, max: 2 },
    protocol: ONE,
    dataFormat: ONE,
    sdk: HOST_SDK,
  };
}

const overlap = (a: Range, b: Range): boolean => a.min <= b.max && b.min <= a.max;
const says = (range: Range): string => (range.min === range.max ? `${range.min}` : `${range.min} to ${range.max}`);

/** Why a manifest does not fit a host; empty when it does. The SDK counts only where there is a UI (05:32, 05:151-160). */
export function hostProblems(manifest: Manifest, host: HostProfile): readonly ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  for (const field of ['os', 'arch'] as const)
    if (manifest[field] !== host[field])
      problems.push({
        path: field,
        rule: 'platform',
        message: `The package is for ${field} "${manifest[field]}" and this host is "${host[field]}".`,
      });
  for (const field of ['host', 'api', 'protocol', 'dataFormat'] as const)
    if (!overlap(manifest[field], host[field]))
      problems.push({
        path: field,
        rule: 'incompatible',
        message: `The package needs ${field} ${says(manifest[field])} and this host provides ${says(host[field])}.`,
      });
  const sdk = manifest.capabilities.ui?.sdk;
  if (sdk !== undefined && (host.sdk < sdk.min || host.sdk > sdk.max))
    problems.push({
      path: 'capabilities.ui.sdk',
      rule: SDK_RULE,
      message: `the add-on needs SDK ${sdk.min} to ${sdk.max} and this host provides SDK ${host.sdk}`,
    });
  return problems;
}

const SDK_RULE = 'sdk-incompatible';

/**
 * Judges a parsed manifest against a host. Refuses with `package_unverified` for platform and level, and with
 * `sdk_incompatible` and its fixed message when only the UI SDK does not fit (05:154-166).
 */
export function validateManifest(manifest: Manifest, host: HostProfile): Either<Refusal, Manifest> {
  const [first] = hostProblems(manifest, host);
  if (first === undefined) return right(manifest);
  if (first.rule === SDK_RULE) return left(refuse('sdk_incompatible', first.message));
  return left(refuse('package_unverified', `${first.message} Nothing was installed.`));
}
