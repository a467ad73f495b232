/** The skill files of a package against its manifest: the tree first, then each file's content (05:52-95). */
import type { Manifest } from '../contract/manifest-types.js';
import { type SkillProblem, skillFileProblem, skillTreeProblems } from '../contract/skills.js';
import type { PackageFile } from './stage-writer.js';

const said = (problem: SkillProblem | undefined): string | undefined =>
  problem === undefined ? undefined : `of "${problem.path.slice(0, 128)}": ${problem.message.replace(/\.$/, '')}`;

/** Why the `skills/` tree is refused, or undefined; contents are not looked at. */
export const checkSkills = (manifest: Manifest, files: readonly PackageFile[]): string | undefined =>
  said(skillTreeProblems(declaredSkills(manifest), files)[0]);

/** Why the content of a skill file is refused, or undefined. `read` gives the bytes of one file, at most 256 KiB each. */
export async function checkSkillContents(
  files: readonly PackageFile[],
  read: (path: string) => Promise<Uint8Array>,
): Promise<string | undefined> {
  for (const { path } of files) {
    const problem = path.startsWith('skills/') ? skillFileProblem(path, await read(path)) : undefined;
    if (problem !== undefined) return said(problem);
  }
  return undefined;
}

/** The names in `capabilities.skillDefinitions`. */
export function declaredSkills(manifest: Manifest): readonly string[] {
  const capabilities = manifest.raw.capabilities as { skillDefinitions?: readonly { name: string }[] } | undefined;
  return (capabilities?.skillDefinitions ?? []).map(({ name }) => name);
}
