import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { castellan, type Ran } from '../../support/castellan.js';
import { counterPackage } from '../../support/fixture-addon.js';
import { assert, suite } from '../../support/harness.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('castellan package');
interface Report {
  readonly file: string;
  readonly ok: boolean;
  readonly problems: readonly { readonly path: string; readonly rule: string; readonly message: string }[];
}
const reports = (ran: Ran) =>
  ran.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Report);
const run = (...args: readonly string[]) => castellan('', 'package', ...args);

test('lint prints one JSON line a path, in order, and exits 1 when any is bad', async () => {
  const good = counterPackage(join(tempDir('lint'), 'good')).packageDir;
  const bad = join(tempDir('lint'), 'manifest.json');
  writeFileSync(bad, JSON.stringify({ schemaVersion: 2, id: 'Apps' }));
  const both = await run('lint', '--json', good, bad);
  assert.is(both.code, 1);
  const [first, second] = reports(both);
  assert.equal(first, { file: good, ok: true, problems: [] });
  assert.is(second?.file, bad);
  assert.ok((second?.problems.length ?? 0) > 3, 'every problem is told, not only the first');
  for (const { path, rule, message } of second?.problems ?? []) assert.ok(path !== '' && rule !== '' && message !== '');
  assert.is((await run('lint', '--json', good)).code, 0);
});

test('lint of what is not there, of a folder without a manifest and without a path is told, not thrown', async () => {
  const empty = join(tempDir('lint'), 'empty');
  mkdirSync(empty);
  const ran = await run('lint', '--json', join(empty, 'nothing'), empty);
  assert.is(ran.code, 1);
  assert.equal(
    reports(ran).map(({ ok }) => ok),
    [false, false],
  );
  assert.is((await run('lint')).code, 2);
});

test('build makes the same archive twice and prints its digest', async () => {
  const folder = counterPackage(join(tempDir('build'), 'counter')).packageDir;
  const [one, two] = [join(tempDir('build'), 'one.tar'), join(tempDir('build'), 'two.tar')];
  const made = JSON.parse((await run('build', '--json', folder, one)).out) as { digest: string; size: number };
  await run('build', folder, two);
  assert.is(Buffer.compare(readFileSync(one), readFileSync(two)), 0);
  assert.is(readFileSync(one).length, made.size);
  assert.match(made.digest, /^sha256:[0-9a-f]{64}$/);
  assert.is((await run('build', join(folder, 'nothing'), one)).code, 1);
});
test.run();
