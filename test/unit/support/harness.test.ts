import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '../../support/harness.js';

const test = suite('test harness');
const harness = new URL('../../support/harness.js', import.meta.url).href;

function exitOf(body: string): number | null {
  const dir = mkdtempSync(join(tmpdir(), 'harness-'));
  try {
    const file = join(dir, 'case.mjs');
    writeFileSync(
      file,
      `import { suite, assert } from ${JSON.stringify(harness)};\nconst test = suite('case');\n${body}\n`,
    );
    return spawnSync(process.execPath, [file], { timeout: 20_000 }).status;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

test('a passing file exits 0', () => assert.is(exitOf(`test('a', () => {}); test.run();`), 0));
test('a forgotten run() exits 1', () => assert.is(exitOf(`test('a', () => {});`), 1));
test('a file without a test exits 1', () => assert.is(exitOf(`test.run();`), 1));
test('a throwing before hook exits 1', () =>
  assert.is(exitOf(`test.before(() => { throw new Error('x'); }); test('a', () => {}); test.run();`), 1));
test('a throwing after-each hook exits 1', () =>
  assert.is(exitOf(`test.afterEach(() => { throw new Error('x'); }); test('a', () => {}); test.run();`), 1));
test('a test that throws a string exits 1', () => assert.is(exitOf(`test('a', () => { throw 'x'; }); test.run();`), 1));
test('a test that never ends is failed by its deadline', () =>
  assert.is(
    exitOf(
      `test('a', () => new Promise((r) => setTimeout(r, 1e6).unref()), 100); test.run(); setTimeout(() => {}, 300);`,
    ),
    1,
  ));
test.run();
