import { frontmatter, type SkillEntry, skillFileProblem, skillTreeProblems } from '../../../src/contract/skills.js';
import { cpuMs } from '../../support/cpu.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('skills');
const file = (path: string, size = 10, more: Partial<SkillEntry> = {}): SkillEntry => ({
  path,
  size,
  executable: false,
  ...more,
});
const MAIN = file('skills/boards/SKILL.md');
const tree = (declared: readonly string[], ...entries: SkillEntry[]) =>
  skillTreeProblems(declared, entries).map(({ path, rule }) => `${path} ${rule}`);
const boards = (...entries: SkillEntry[]) => tree(['boards'], MAIN, ...entries);
const text = (value: string) => new TextEncoder().encode(value);
const main = (value: string) => skillFileProblem('skills/boards/SKILL.md', text(value))?.rule;
const GOOD = '---\nname: boards\ndescription: How to keep a board.\n---\n# Boards\n';

test('the folders under skills are exactly the declared names [SKILLS-014]', () => {
  assert.equal(boards(), []);
  assert.equal(tree([], file('bin/a')), []);
  assert.equal(tree([], file('skills/boards/SKILL.md')), ['skills skill-undeclared']);
  assert.equal(tree([], file('skills', 0, { kind: 'folder' })), ['skills skill-undeclared']);
  assert.equal(tree(['boards']), ['skills/boards/SKILL.md skill-missing']);
  assert.equal(boards(file('skills/other/SKILL.md')), ['skills/other/SKILL.md skill-undeclared']);
  assert.equal(boards(file('skills/readme.md')), ['skills/readme.md skill-undeclared']);
});

test('links, special files and executable files are refused [SKILLS-015]', () => {
  assert.equal(boards(file('skills/boards/a.md', 1, { kind: 'other' })), ['skills/boards/a.md skill-kind']);
  assert.equal(boards(file('skills/boards/a.md', 1, { executable: true })), ['skills/boards/a.md skill-executable']);
  assert.equal(tree(['boards'], file('skills/boards/SKILL.md', 1, { kind: 'other' })), [
    'skills/boards/SKILL.md skill-missing',
    'skills/boards/SKILL.md skill-kind',
  ]);
});

test('reference files lie at most three folders below the skill [SKILLS-006]', () => {
  assert.equal(boards(file('skills/boards/a/b/c/d.md')), []);
  assert.equal(boards(file('skills/boards/a/b/c/d/e.md')), ['skills/boards/a/b/c/d/e.md skill-depth']);
});

test('only text files are skill files, and no script is one whatever the procedure requires [SKILLS-017] [SKILLS-018]', () => {
  for (const type of ['md', 'txt', 'json', 'csv', 'yaml', 'yml'])
    assert.equal(boards(file(`skills/boards/a.${type}`)), []);
  for (const name of ['a.py', 'a.sh', 'a.js', 'a', 'a.md.exe', 'makefile'])
    assert.equal(boards(file(`skills/boards/${name}`)), [`skills/boards/${name} skill-type`]);
  assert.is(main('---\nname: boards\ndescription: x\nrequires: [exec]\n---\n'), undefined);
  assert.is(skillFileProblem('skills/boards/a.md', Uint8Array.from([0xff]))?.rule, 'skill-text');
  assert.is(skillFileProblem('skills/boards/a.md', text('a\0b'))?.rule, 'skill-text');
  assert.is(skillFileProblem('skills/boards/a.md', text('no frontmatter needed')), undefined);
});

test('SKILL.md has at most 64 KiB, parses, and names its folder and a description [SKILLS-019]', () => {
  assert.equal(tree(['boards'], file('skills/boards/SKILL.md', 65_536)), []);
  assert.equal(tree(['boards'], file('skills/boards/SKILL.md', 65_537)), ['skills/boards/SKILL.md skill-size']);
  assert.is(main(GOOD), undefined);
  assert.is(main(GOOD.replaceAll('\n', '\r\n')), undefined);
  for (const wrong of [
    '# Boards',
    '',
    '---\nname: boards\ndescription: x\n',
    '---\nname: other\ndescription: x\n---\n',
    '---\nname: boards\n---\n',
    '---\nname: boards\ndescription: ""\n---\n',
    '---\nname: boards\ndescription: [a]\n---\n',
    '---\ndescription: x\n---\n',
    '---\n- name\n---\n',
    '---\nname: boards\nname: boards\ndescription: x\n---\n',
    '---\nname: &a boards\ndescription: *a\n---\n',
    '---\nname: !!js/function boards\ndescription: x\n---\n',
    '---\nname: boards\ndescription: x\n: {\n---\n',
    `\ufeff${GOOD}`,
  ])
    assert.is(main(wrong), wrong.startsWith('\ufeff') ? undefined : 'skill-frontmatter', JSON.stringify(wrong));
});

test('a reference file has at most 256 KiB [SKILLS-020]', () => {
  assert.equal(boards(file('skills/boards/a.md', 262_144)), []);
  assert.equal(boards(file('skills/boards/a.md', 262_145)), ['skills/boards/a.md skill-size']);
});

test('a skill has at most 64 files and 1 MiB [SKILLS-021]', () => {
  const files = (count: number, size: number) =>
    Array.from({ length: count }, (_, i) => file(`skills/boards/f${i}.md`, size));
  assert.equal(boards(...files(63, 1)), []);
  assert.equal(boards(...files(64, 1)), ['skills/boards skill-size']);
  assert.equal(boards(...files(4, 262_141)), []);
  assert.equal(boards(...files(4, 262_142)), ['skills/boards skill-size']);
});

test('all skills of a package have at most 4 MiB [SKILLS-022]', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const entries = (size: number) =>
    names.flatMap((name) => [
      file(`skills/${name}/SKILL.md`, 1),
      ...Array.from({ length: 4 }, (_, i) => file(`skills/${name}/f${i}.md`, size)),
    ]);
  assert.equal(tree(names, ...entries(209_714)), []);
  assert.equal(tree(names, ...entries(209_716)), ['skills skill-size']);
});

test('a path has lower-case ASCII segments that do not start with a dot and at most 128 bytes', () => {
  for (const name of ['A.md', '.a.md', 'é.md', 'a b.md', 'x/.y/a.md'])
    assert.equal(boards(file(`skills/boards/${name}`)), [`skills/boards/${name} skill-path`]);
  assert.equal(boards(file(`skills/boards/${'a'.repeat(111)}.md`)), []);
  assert.equal(boards(file(`skills/boards/${'a'.repeat(112)}.md`)).length, 1);
});

test('hostile frontmatter costs bounded time and is refused or read, never thrown', () => {
  const hostile = [
    `---\n${'['.repeat(60_000)}\n---\n`,
    `---\n${'a: '.repeat(20_000)}\n---\n`,
    `---\n${Array.from({ length: 3_000 }, (_, i) => `${' '.repeat(i % 100)}k${i}: 1`).join('\n')}\n---\n`,
    `---\n${Array.from({ length: 2_000 }, (_, i) => `k${i}:`).join('\n')}\n---\n`,
    `---\n${'- '.repeat(4_000)}x\n---\n`,
    `---\n${'\n'.repeat(8_000)}---\n`,
  ];
  for (const one of hostile) assert.ok(cpuMs(() => frontmatter(one)) < 3_000);
});

test.run();
