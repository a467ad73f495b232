import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostProfile } from '../../../src/contract/manifest.js';
import { parseLibraryIndex } from '../../../src/packages/library-index.js';
import { lintPath } from '../../../src/packages/lint.js';
import { parsePackageConfig } from '../../../src/packages/release/platforms.js';
import { assert, suite } from '../../support/harness.js';
import { ROOT } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('the documents');
const authors = readFileSync(join(ROOT, 'docs/addon-authors.md'), 'utf8');
const block = (language: string, holding: string): string => {
  const blocks = [...authors.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  );
  return blocks.find((text) => text.includes(holding)) ?? '';
};

test('the manifest of the document for authors is one that would be accepted', async () => {
  const file = join(tempDir('document'), 'manifest.json');
  writeFileSync(file, block('json', '"schemaVersion"'));
  assert.equal((await lintPath(file, hostProfile('linux', 'x64'))).problems, []);
});

test('its library index is one that would be read', () => {
  const read = parseLibraryIndex(Buffer.from(block('yaml', 'artifact:')), {
    sourceId: 'mine',
    allowLoopbackHTTP: false,
  });
  assert.is(read._tag === 'Right' ? read.right.releases.length : read.left, 1);
});
test('the document on publishing says what a registry cannot do [DIST-088]', () => {
  const publishing = readFileSync(join(ROOT, 'docs/publishing.md'), 'utf8').replaceAll('\n', ' ');
  assert.match(publishing, /no compare-and-swap for tags/);
  assert.match(publishing, /Only the concurrency group/);
  assert.match(publishing, /before a force-push can move a branch channel back until the next push/);
});

test('its example of a configuration is one that is read', () => {
  const publishing = readFileSync(join(ROOT, 'docs/publishing.md'), 'utf8');
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(publishing) ?? [];
  const config = parsePackageConfig(Buffer.from(text), '/');
  assert.equal(config._tag === 'Right' && config.right.platforms.map(({ enabled }) => enabled), [true, false]);
});
test.run();
