import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hostProfile } from '../../../src/contract/manifest.js';
import { lintLine, lintPath } from '../../../src/packages/lint.js';
import { assert, suite } from '../../support/harness.js';
import { change, connectorManifest, manifestWith, uiManifest } from '../../support/manifests.js';

const test = suite('package lint');
const HOST = hostProfile('linux', 'x64');
const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
let root = '';

test.before(async () => {
  root = await mkdtemp(join(tmpdir(), 'lint-'));
});
test.after(() => rm(root, { recursive: true, force: true }));

let count = 0;
async function folder(files: Record<string, string | Uint8Array>): Promise<string> {
  count += 1;
  const at = join(root, `package-${count}`);
  await mkdir(at);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(at, path)), { recursive: true });
    await writeFile(join(at, path), content, { mode: path.startsWith('bin/') ? 0o755 : 0o644 });
  }
  return at;
}

const found = async (path: string) =>
  (await lintPath(path, HOST)).problems.map(({ path: at, rule }) => `${at} ${rule}`);
const UI_FILES = {
  'manifest.json': JSON.stringify(uiManifest()),
  'bin/boards': '#!/bin/sh\n',
  'ui/boards.js': 'export {};',
  'ui/boards.css': '',
  'ui/icon.png': PNG,
};

test('a manifest is judged as a file, and each line says file, ok and problems', async () => {
  const good = await folder({ 'm.json': JSON.stringify(manifestWith({ service: true })) });
  const report = await lintPath(join(good, 'm.json'), HOST);
  assert.is(lintLine(report), JSON.stringify({ file: join(good, 'm.json'), ok: true, problems: [] }));
  const bad = await folder({ 'm.json': JSON.stringify(change(uiManifest(), 'id', 'Apps')) });
  const { ok, problems } = await lintPath(join(bad, 'm.json'), HOST);
  assert.is(ok, false);
  assert.equal(
    problems.map(({ path, rule }) => [path, rule]),
    [['id', 'name']],
  );
  assert.match(problems[0]?.message ?? '', /^This must be .*\.$/);
});

test('a valid manifest for another host is a problem here', async () => {
  const at = await folder({
    'm.json': JSON.stringify(manifestWith({}, { os: 'darwin', protocol: { min: 2, max: 2 } })),
  });
  assert.equal(await found(join(at, 'm.json')), ['os platform', 'protocol incompatible']);
});

test('a package with everything it declares is good', async () => {
  assert.equal(await found(await folder(UI_FILES)), []);
});

test('files that are declared and missing, and a missing execute bit, are said with the fix', async () => {
  const at = await folder({ 'manifest.json': UI_FILES['manifest.json'], 'bin/boards': 'x', 'ui/boards.js': '' });
  await chmod(join(at, 'bin/boards'), 0o644);
  assert.equal(await found(at), ['bin/boards mode', 'ui/boards.css missing', 'ui/icon.png missing']);
});

test('an icon must be an image of its declared type and size [MANIFEST-092]', async () => {
  assert.equal(await found(await folder({ ...UI_FILES, 'ui/icon.png': 'GIF89a' })), ['ui/icon.png icon']);
  assert.equal(await found(await folder({ ...UI_FILES, 'ui/icon.png': Buffer.concat([PNG, Buffer.alloc(262_144)]) })), [
    'ui/icon.png icon',
  ]);
});

test('links, receipts and impossible names are refused', async () => {
  const at = await folder({ ...UI_FILES, 'receipt.json': '{}', 'ui/é.js': '' });
  await symlink('/etc/hostname', join(at, 'ui/link'));
  assert.equal((await found(at)).sort(), ['"ui/é.js" path', 'receipt.json receipt', 'ui/link kind']);
});

test('skills are judged by tree and content, as staging does', async () => {
  const capabilities = connectorManifest().capabilities as { skillDefinitions: unknown };
  const files = {
    ...UI_FILES,
    'manifest.json': JSON.stringify(change(uiManifest(), 'capabilities.skillDefinitions', [{ name: 'boards' }])),
  };
  assert.ok(capabilities.skillDefinitions);
  assert.equal(await found(await folder(files)), ['skills/boards/SKILL.md skill-missing']);
  assert.equal(await found(await folder({ ...files, 'skills/boards/SKILL.md': '# x' })), [
    'skills/boards/SKILL.md skill-frontmatter',
  ]);
  assert.equal(
    await found(
      await folder({
        ...files,
        'skills/boards/SKILL.md': '---\nname: boards\ndescription: d\n---\n',
        'skills/boards/run.sh': '',
      }),
    ),
    ['skills/boards/run.sh skill-type'],
  );
  assert.equal(
    await found(await folder({ ...files, 'skills/boards/SKILL.md': '---\nname: boards\ndescription: d\n---\n' })),
    [],
  );
});

test('a path that is not there, a folder without manifest and a huge manifest are problems, not faults', async () => {
  assert.equal(await found(join(root, 'nothing')), ['$ unreadable']);
  assert.equal(await found(await folder({ 'bin/x': '' })), ['manifest.json missing']);
  const at = await folder({ 'm.json': ' '.repeat(5_000_000) });
  assert.equal(await found(join(at, 'm.json')), ['$ too-large']);
});

test.run();
