import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../../support/harness.js';
import { ROOT } from '../../support/server.js';

const test = suite('house rules');
const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString('utf8')
  .split('\0');
const sources = tracked.filter((file) => /^(src|ui|addons|test|scripts)\/.*\.(ts|tsx|mjs|mts)$/.test(file));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const those = (pattern: RegExp, files: readonly string[]) => files.filter((file) => pattern.test(read(file)));

test('no file is longer than 400 lines', () => {
  const long = sources.filter((file) => !file.includes('/fixtures/') && read(file).split('\n').length > 401);
  assert.equal(long, []);
});

test('fp-ts and io-ts are imported in one place only', () => {
  const doors = those(
    /from '(fp-ts|io-ts)/,
    sources.filter((file) => file.startsWith('src/')),
  );
  assert.equal(doors, ['src/contract/fp.ts']);
});

test('the pure core asks no clock and no dice', () => {
  const core = sources.filter((file) => /^src\/(aggregates|projections)\//.test(file));
  assert.equal(those(/Date\.now|new Date\(\)|Math\.random|randomBytes|randomUUID/, core), []);
});

test('nothing is left behind: no marks, no skipped tests, no silenced types', () => {
  const own = sources.filter((file) => !file.includes('house/tidy'));
  assert.equal(
    those(
      new RegExp(
        [
          'TO' + 'DO',
          'FIX' + 'ME',
          'XX' + 'X:',
          '@ts-' + 'ignore',
          '\\bas ' + 'any[;,)>\\]]',
          'test\\.sk' + 'ip\\(',
        ].join('|'),
      ),
      own,
    ),
    [],
  );
});

test('every decision has its sections and a final status', () => {
  const decisions = readdirSync(join(ROOT, 'docs/adr')).filter((file) => file !== 'README.md');
  assert.ok(decisions.length >= 8);
  for (const file of decisions) {
    const text = read(`docs/adr/${file}`);
    for (const section of ['Context', 'Decision', 'Consequences'])
      assert.match(text, new RegExp(`^## ${section}`, 'm'), file);
    assert.match(text, /^## Status\s+(Accepted|Superseded)/m, file);
  }
});

test('every relative link of the documents leads somewhere', () => {
  const documents = tracked.filter((file) => file.endsWith('.md'));
  for (const file of documents)
    for (const [, target = ''] of read(file).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      const at = join(file, '..', target);
      assert.ok(
        tracked.some((other) => other === at || other.startsWith(`${at.replace(/\/$/, '')}/`)),
        `${file} -> ${target}`,
      );
    }
});
test.run();
