/** Which layer each file of a package belongs to, and what a layer may hold (15:27-29,38-42,66-68). */
import { posix } from 'node:path';
import { type Either, left, right } from '../../contract/fp.js';
import type { Manifest } from '../../contract/manifest-types.js';
import { assetsOf } from '../manifest-check.js';
import { declaredSkills } from '../skills-check.js';
import { ROLES, type Role } from './formats.js';

export const MANIFEST_PATH = 'manifest.json';

/** The roles a package of this manifest has, in the order of its layers. */
export function rolesOf(manifest: Manifest): readonly Role[] {
  const without = new Set<Role>();
  if (manifest.capabilities.ui === undefined) without.add('ui');
  if (declaredSkills(manifest).length === 0) without.add('skills');
  return ROLES.filter((role) => !without.has(role));
}

/** The folder of the page files, or undefined without a page. Left: the page has no folder that can be a layer. */
export function uiFolder(manifest: Manifest): Either<string, string | undefined> {
  const entry = manifest.capabilities.ui?.entry;
  if (entry === undefined) return right(undefined);
  const folder = posix.dirname(entry);
  if (folder === '.')
    return left('the entry of its page lies at the top; put the page files into a folder of their own');
  if (within(folder, manifest.executable)) return left('its executable lies in the folder of its page');
  if (folder === 'skills' || within('skills', folder)) return left('its page lies in the folder of skills');
  const outside = assetsOf(manifest).find((path) => !within(folder, path));
  return outside === undefined ? right(folder) : left(`${outside} lies outside the folder of its page, ${folder}`);
}

const within = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);

/** The layer a path belongs to; `ui` is what `uiFolder` gave. */
export function roleOf(path: string, ui: string | undefined): Role {
  if (path === MANIFEST_PATH) return 'manifest';
  if (ui !== undefined && within(ui, path)) return 'ui';
  return within('skills', path) ? 'skills' : 'executable';
}

/** Why a file may not have these permission bits in a package, or undefined (15:40-41). */
export function modeProblem(path: string, mode: number, isEntrypoint: boolean): string | undefined {
  if ((mode & 0o6000) !== 0) return `${path} has a set-id bit`;
  if ((mode & 0o1000) !== 0) return `${path} has the sticky bit`;
  if ((mode & 0o022) !== 0) return `${path} may be written by its group or by everyone`;
  if (isEntrypoint && (mode & 0o100) === 0) return `${path} is the entrypoint and is not executable`;
  if (!isEntrypoint && (mode & 0o111) !== 0) return `${path} is executable and is not the entrypoint`;
  const expected = isEntrypoint ? 0o755 : 0o644;
  return mode === expected
    ? undefined
    : `${path} has the mode ${mode.toString(8)} where ${expected.toString(8)} is expected`;
}

/** Exactly the entrypoint and the listed runtime files may be in the executable layer (15:27,35,39). */
export function runtimeProblem(
  paths: readonly string[],
  executable: string,
  runtime: readonly string[],
): string | undefined {
  const present = new Set(paths);
  const missing = runtime.find((path) => !present.has(path));
  if (missing !== undefined) return `the runtime file ${missing} is missing`;
  const expected = new Set([executable, ...runtime]);
  const other = paths.find((path) => !expected.has(path));
  return other === undefined ? undefined : `${other} is no runtime file of its configuration`;
}
