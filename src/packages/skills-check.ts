/** The skill files of a package against its manifest: declared folders only, text files only, nothing executable (05:52-95). */
import type { Manifest } from '../contract/manifest-types.js';
import type { PackageFile } from './stage-writer.js';

const SEGMENT = /^[a-z0-9_-][a-z0-9._-]*$/;
const TEXT = /\.(?:md|txt|json|csv|yaml|yml)$/;
const KIB = 1024;

/** Why the `skills/` folder is refused, or undefined. */
export function checkSkills(manifest: Manifest, files: readonly PackageFile[]): string | undefined {
  const declared = declaredSkills(manifest);
  const mine = files.filter(({ path }) => path === 'skills' || path.startsWith('skills/'));
  for (const name of declared)
    if (!mine.some(({ path }) => path === `skills/${name}/SKILL.md`))
      return 'a skill its manifest declares has no SKILL.md';
  const totals = new Map<string, { files: number; bytes: number }>();
  for (const file of mine) {
    const problem = fileProblem(file, declared);
    if (problem !== undefined) return problem;
    const skill = file.path.split('/')[1] ?? '';
    const total = totals.get(skill) ?? { files: 0, bytes: 0 };
    totals.set(skill, { files: total.files + 1, bytes: total.bytes + file.size });
  }
  const all = [...totals.values()];
  if (all.some((total) => total.files > 64 || total.bytes > 1024 * KIB))
    return 'a skill has over 64 files or over 1 MiB';
  return all.reduce((sum, { bytes }) => sum + bytes, 0) > 4096 * KIB ? 'its skills have over 4 MiB' : undefined;
}

function declaredSkills(manifest: Manifest): readonly string[] {
  const capabilities = manifest.raw.capabilities as { skillDefinitions?: readonly { name: string }[] } | undefined;
  return (capabilities?.skillDefinitions ?? []).map(({ name }) => name);
}

function fileProblem(file: PackageFile, declared: readonly string[]): string | undefined {
  const [, skill = '', ...inner] = file.path.split('/');
  if (!declared.includes(skill) || inner.length === 0) return 'it has skill files its manifest does not declare';
  // The folder of the skill, up to three below it, and the file.
  if (inner.length > 4 || file.path.length > 128) return 'a skill file is nested too deeply or has too long a name';
  const isMain = inner.length === 1 && inner[0] === 'SKILL.md';
  if (!isMain && !inner.every((part) => SEGMENT.test(part))) return 'a skill file has a name that is not allowed';
  if (file.executable) return 'a skill file is executable';
  if (!TEXT.test(file.path)) return 'a skill file is not of a text type';
  return file.size > (isMain ? 64 : 256) * KIB ? 'a skill file is too large' : undefined;
}
