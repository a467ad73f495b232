/** The rules of skill files, as pure functions over what a package holds (05:52-95). Staging and `package lint` call them. */
import { isAlias, isMap, parseAllDocuments, visit } from 'yaml';

/** One entry below `skills/`, by its path in the package. */
export interface SkillEntry {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
  /** Anything but a regular file or a folder: a link or a special file. */
  readonly kind?: 'file' | 'folder' | 'other';
}

export interface SkillProblem {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

const KIB = 1024;
export const SKILL_LIMITS = {
  path: 128,
  folders: 3,
  main: 64 * KIB,
  reference: 256 * KIB,
  files: 64,
  skill: 1024 * KIB,
  package: 4096 * KIB,
} as const;

const SEGMENT = /^[a-z0-9_-][a-z0-9._-]*$/;
const TEXT = /\.(?:md|txt|json|csv|yaml|yml)$/;
const MAX_FRONTMATTER = 8 * KIB;

const problem = (path: string, rule: string, message: string): SkillProblem => ({ path, rule, message });

/** Everything that is wrong with the skill tree of a package, given the declared names; contents are judged apart. */
export function skillTreeProblems(declared: readonly string[], entries: readonly SkillEntry[]): SkillProblem[] {
  const mine = entries.filter(({ path }) => path === 'skills' || path.startsWith('skills/'));
  const found: SkillProblem[] = [];
  for (const name of declared)
    if (!mine.some(({ path, kind = 'file' }) => path === `skills/${name}/SKILL.md` && kind === 'file'))
      found.push(problem(`skills/${name}/SKILL.md`, 'skill-missing', 'A declared skill needs this file.'));
  if (declared.length === 0 && mine.length > 0)
    return [problem('skills', 'skill-undeclared', 'A package without declared skills has no skills folder.')];
  const totals = new Map<string, { files: number; bytes: number }>();
  for (const entry of mine) {
    const one = entryProblem(entry, declared);
    if (one !== undefined) found.push(one);
    if ((entry.kind ?? 'file') !== 'file') continue;
    const skill = entry.path.split('/')[1] ?? '';
    const total = totals.get(skill) ?? { files: 0, bytes: 0 };
    totals.set(skill, { files: total.files + 1, bytes: total.bytes + entry.size });
  }
  for (const [skill, { files, bytes }] of totals)
    if (files > SKILL_LIMITS.files || bytes > SKILL_LIMITS.skill)
      found.push(problem(`skills/${skill}`, 'skill-size', 'A skill has at most 64 files and 1 MiB.'));
  const all = [...totals.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  if (all > SKILL_LIMITS.package)
    found.push(problem('skills', 'skill-size', 'All skills of a package have at most 4 MiB.'));
  return found;
}

function entryProblem(entry: SkillEntry, declared: readonly string[]): SkillProblem | undefined {
  const { path, kind = 'file' } = entry;
  if (path === 'skills') return kind === 'folder' ? undefined : problem(path, 'skill-kind', 'This must be a folder.');
  const [, skill = '', ...inner] = path.split('/');
  if (!declared.includes(skill))
    return problem(path, 'skill-undeclared', 'This is in no skill that the manifest declares.');
  if (kind === 'other') return problem(path, 'skill-kind', 'Only plain files and folders may stand here, no links.');
  const folders = kind === 'folder' ? inner.length : inner.length - 1;
  if (inner.length === 0)
    return kind === 'folder' ? undefined : problem(path, 'skill-kind', 'A skill is a folder with a SKILL.md.');
  if (folders > SKILL_LIMITS.folders)
    return problem(path, 'skill-depth', 'Files lie at most 3 folders below the skill.');
  if (path.length > SKILL_LIMITS.path) return problem(path, 'skill-path', 'A path has at most 128 bytes.');
  const isMain = inner.length === 1 && inner[0] === 'SKILL.md';
  if (!isMain && !inner.every((part) => SEGMENT.test(part)))
    return problem(
      path,
      'skill-path',
      'Names use lower-case letters, digits, ".", "_" and "-" and do not start with a dot.',
    );
  if (kind === 'folder') return undefined;
  if (entry.executable) return problem(path, 'skill-executable', 'A skill file must not be executable.');
  if (!TEXT.test(path))
    return problem(path, 'skill-type', 'A skill file is .md, .txt, .json, .csv, .yaml or .yml; there are no scripts.');
  const most = isMain ? SKILL_LIMITS.main : SKILL_LIMITS.reference;
  return entry.size > most ? problem(path, 'skill-size', `This file may have at most ${most / KIB} KiB.`) : undefined;
}

/** What is wrong with the bytes of one skill file; for `skills/<name>/SKILL.md` that includes its frontmatter. */
export function skillFileProblem(path: string, bytes: Uint8Array): SkillProblem | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return problem(path, 'skill-text', 'A skill file must be UTF-8 text.');
  }
  if (text.includes('\0')) return problem(path, 'skill-text', 'A skill file must not hold a NUL byte.');
  const [, skill, ...rest] = path.split('/');
  if (rest.join('/') !== 'SKILL.md') return undefined;
  const front = frontmatter(text);
  if (front === undefined)
    return problem(
      path,
      'skill-frontmatter',
      'SKILL.md must start with frontmatter between two lines of "---", a plain YAML map.',
    );
  if (front.name !== skill)
    return problem(path, 'skill-frontmatter', 'The name in SKILL.md must be the name of its folder.');
  if (typeof front.description !== 'string' || front.description.trim() === '')
    return problem(path, 'skill-frontmatter', 'SKILL.md needs a description.');
  return undefined;
}

/** The frontmatter as a map of plain values; undefined when there is none or it is not simple YAML. Bounded. */
export function frontmatter(text: string): Readonly<Record<string, unknown>> | undefined {
  const match = /^---\r?\n/.exec(text);
  if (match === null) return undefined;
  const body = text.slice(match[0].length, match[0].length + MAX_FRONTMATTER);
  const end = /(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(body);
  if (end === null) return undefined;
  try {
    return plainMap(body.slice(0, end.index));
  } catch {
    return undefined;
  }
}

/** One YAML document that is a map, without aliases and unknown tags; throws for nesting that the reader gives up on. */
function plainMap(text: string): Readonly<Record<string, unknown>> | undefined {
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    uniqueKeys: true,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
    resolveKnownTags: false,
  });
  const [document] = Array.isArray(documents) ? documents : [];
  if (documents.length !== 1 || document === undefined || !isMap(document.contents)) return undefined;
  if (document.errors.length > 0 || document.warnings.length > 0) return undefined;
  let aliased = false;
  visit(document, (_, node) => {
    if (isAlias(node)) aliased = true;
  });
  return aliased ? undefined : (document.toJS({ maxAliasCount: 0 }) as Record<string, unknown>);
}
