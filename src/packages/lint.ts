/** Everything an owner would refuse about a manifest or a package folder, for its author (wire, "Command line"). */
import { lstat, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '../contract/limits.js';
import { type HostProfile, hostProblems, type ManifestProblem, parseManifest } from '../contract/manifest.js';
import type { Manifest } from '../contract/manifest-types.js';
import { type SkillEntry, skillFileProblem, skillTreeProblems } from '../contract/skills.js';
import { iconProblem } from './icon-check.js';
import { assetsOf } from './manifest-check.js';
import { DEFAULT_PACKAGE_LIMITS } from './package-limits.js';
import { pathProblem } from './package-path.js';
import { declaredSkills } from './skills-check.js';
import { RECEIPT } from './stage-writer.js';

export interface LintReport {
  /** The path as it was given. */
  readonly file: string;
  readonly ok: boolean;
  readonly problems: readonly ManifestProblem[];
}

const MANIFEST = 'manifest.json';
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/**
 * Judges a manifest (a file) or a package (a folder) by the rules an owner on `host` applies, without changing it.
 * A path that cannot be read is a problem of that path, not a fault.
 */
export async function lintPath(path: string, host: HostProfile): Promise<LintReport> {
  const problems = await judge(path, host).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return [
      { path: '$', rule: 'unreadable', message: `This cannot be read (${error.code}); check the path and its rights.` },
    ];
  });
  return { file: path, ok: problems.length === 0, problems };
}

async function judge(path: string, host: HostProfile): Promise<readonly ManifestProblem[]> {
  const stat = await lstat(path);
  if (stat.isDirectory()) return judgeFolder(path, host);
  const read = parseManifest(await readBounded(path));
  return read._tag === 'Left' ? read.left : hostProblems(read.right, host);
}

/** One byte more than a manifest may have is enough to see that it is too large. */
async function readBounded(path: string): Promise<Uint8Array> {
  const handle = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(DEFAULT_LIMITS.manifestBytes + 1);
    let size = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, size, buffer.length - size, null);
      size += bytesRead;
      if (bytesRead === 0 || size === buffer.length) return buffer.subarray(0, size);
    }
  } finally {
    await handle.close();
  }
}

async function judgeFolder(folder: string, host: HostProfile): Promise<readonly ManifestProblem[]> {
  const { entries, problems } = await walk(folder);
  const present = new Map(entries.map((entry) => [entry.path, entry]));
  if (present.get(MANIFEST)?.kind !== 'file')
    return [...problems, { path: MANIFEST, rule: 'missing', message: 'A package needs this file.' }];
  const read = parseManifest(await readBounded(join(folder, MANIFEST)));
  if (read._tag === 'Left') return [...problems, ...read.left];
  const manifest = read.right;
  return [
    ...problems,
    ...hostProblems(manifest, host),
    ...declaredFiles(manifest, present),
    ...(await iconProblems(folder, manifest, present)),
    ...(await skillProblems(folder, manifest, entries)),
  ];
}

async function walk(folder: string): Promise<{ entries: SkillEntry[]; problems: ManifestProblem[] }> {
  const entries: SkillEntry[] = [];
  const problems: ManifestProblem[] = [];
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined && problems.length < 100; at = waiting.pop()) {
    for (const entry of await readdir(join(folder, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      const wrong = pathProblem(path);
      if (wrong !== undefined)
        problems.push({ path: JSON.stringify(path).slice(0, 200), rule: 'path', message: `This is ${wrong}.` });
      else if (path === RECEIPT)
        problems.push({ path, rule: 'receipt', message: 'The owner writes this file; take it out of the folder.' });
      else if (!entry.isFile() && !entry.isDirectory())
        problems.push({
          path,
          rule: 'kind',
          message: 'A package holds plain files and folders only, no links or special files.',
        });
      else {
        const { size, mode } = await lstat(join(folder, path));
        entries.push({
          path,
          size,
          executable: entry.isFile() && (mode & 0o100) !== 0,
          kind: entry.isFile() ? 'file' : 'folder',
        });
        if (entry.isDirectory()) waiting.push(path);
      }
    }
    if (entries.length > DEFAULT_PACKAGE_LIMITS.entries) {
      problems.push({
        path: '$',
        rule: 'size',
        message: `A package has at most ${DEFAULT_PACKAGE_LIMITS.entries} entries.`,
      });
      break;
    }
  }
  return { entries, problems };
}

function declaredFiles(manifest: Manifest, present: ReadonlyMap<string, SkillEntry>): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const executable = present.get(manifest.executable);
  if (executable?.kind !== 'file')
    problems.push({
      path: manifest.executable,
      rule: 'missing',
      message: 'The manifest declares this executable; add it.',
    });
  else if (!executable.executable)
    problems.push({
      path: manifest.executable,
      rule: 'mode',
      message: 'The executable needs the execute bit (chmod +x).',
    });
  for (const path of assetsOf(manifest))
    if (present.get(path)?.kind !== 'file')
      problems.push({ path, rule: 'missing', message: 'The manifest declares this UI file; add it.' });
  return problems;
}

async function iconProblems(
  folder: string,
  manifest: Manifest,
  present: ReadonlyMap<string, SkillEntry>,
): Promise<ManifestProblem[]> {
  const path = manifest.capabilities.ui?.icon;
  const entry = path === undefined ? undefined : present.get(path);
  if (path === undefined || entry?.kind !== 'file') return [];
  const handle = await open(join(folder, path), 'r');
  try {
    const head = Buffer.alloc(12);
    const { bytesRead } = await handle.read(head, 0, 12, 0);
    const wrong = iconProblem(path, head.subarray(0, bytesRead), entry.size);
    return wrong === undefined ? [] : [{ path, rule: 'icon', message: sentence(wrong) }];
  } finally {
    await handle.close();
  }
}

async function skillProblems(
  folder: string,
  manifest: Manifest,
  entries: readonly SkillEntry[],
): Promise<readonly ManifestProblem[]> {
  const tree = skillTreeProblems(declaredSkills(manifest), entries);
  if (tree.length > 0) return tree;
  const contents: ManifestProblem[] = [];
  for (const { path, kind } of entries)
    if (kind === 'file' && path.startsWith('skills/')) {
      const wrong = skillFileProblem(path, await readFile(join(folder, path)));
      if (wrong !== undefined) contents.push(wrong);
    }
  return contents;
}

/** The line of `castellan package lint --json` for one path. */
export const lintLine = (report: LintReport): string => JSON.stringify(report);
