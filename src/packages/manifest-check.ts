/** Judges the manifest of a staged package against its release, this host and the files that came with it (06:150-172; 05:1-50). */
import type { Release } from '../contract/api.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { type HostProfile, parseManifest, validateManifest } from '../contract/manifest.js';
import type { Manifest } from '../contract/manifest-types.js';
import type { Refusal } from '../contract/refusal.js';
import { unverified } from './refused.js';
import type { PackageFile } from './stage-writer.js';

/** Left: `package_unverified`, or `sdk_incompatible` when only the SDK of its pages does not fit (wire, "Packages"). */
export function checkManifest(
  manifest: Manifest,
  release: Release,
  host: HostProfile,
  files: readonly PackageFile[],
): Either<Refusal, void> {
  const problem = identityProblem(manifest, release) ?? fileProblem(manifest, files);
  if (problem !== undefined) return left(unverified(problem));
  const fits = validateManifest(manifest, host);
  return isLeft(fits) ? fits : right(undefined);
}

function identityProblem(manifest: Manifest, release: Release): string | undefined {
  for (const field of ['id', 'version', 'os', 'arch'] as const)
    if (manifest[field] !== release[field]) return `the ${field} of its manifest is not the one its library lists`;
  return undefined;
}

/** Every file a manifest names, beside the executable. */
export function assetsOf(manifest: Manifest): readonly string[] {
  const ui = manifest.capabilities.ui;
  if (ui === undefined) return [];
  return [ui.entry, ...(ui.css ?? []), ...(ui.icon === undefined ? [] : [ui.icon])];
}

/** Whether every file a manifest names is there, and its executable may be run. */
export function fileProblem(manifest: Manifest, files: readonly PackageFile[]): string | undefined {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const executable = byPath.get(manifest.executable);
  if (executable === undefined) return 'the executable its manifest declares is not in it';
  if (!executable.executable) return 'its executable does not have the execute bit of the owner';
  if (assetsOf(manifest).some((path) => !byPath.has(path))) return 'a page file its manifest declares is not in it';
  return undefined;
}

/** The problems of a manifest as one sentence part; a manifest is short text of the package, so its field paths may be shown. */
export function readManifest(bytes: Uint8Array): Either<string, Manifest> {
  const parsed = parseManifest(bytes);
  if (!isLeft(parsed)) return parsed;
  const places = parsed.left.slice(0, 3).map(({ path, rule }) => `${path.slice(0, 80)} (${rule})`);
  const more = parsed.left.length - places.length;
  return left(`${places.join(', ')}${more > 0 ? ` and ${more} more` : ''}`);
}
