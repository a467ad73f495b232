/** Whether `--if-stale` may leave `dist/` as it is. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '../../support/harness.js';

const test = suite('freshness of a build');
const SCRIPT = new URL('../../../../scripts/freshness.mjs', import.meta.url);

interface Freshness {
  readonly isFresh: (root: string) => boolean;
  readonly stamp: (root: string) => void;
}

test('a build is fresh only for the sources, the result and the release it was made for', async () => {
  const { isFresh, stamp } = (await import(SCRIPT.href)) as Freshness;
  const folder = mkdtempSync(join(tmpdir(), 'castellan-fresh-'));
  const root = `${folder}/`;
  const before = process.env.CASTELLAN_RELEASE;
  try {
    for (const each of ['src', 'dist']) mkdirSync(join(folder, each));
    writeFileSync(join(folder, 'src', 'one.ts'), '1');
    delete process.env.CASTELLAN_RELEASE;
    assert.not.ok(isFresh(root));
    stamp(root);
    assert.ok(isFresh(root));
    process.env.CASTELLAN_RELEASE = 'v1.2.3';
    assert.not.ok(isFresh(root));
    stamp(root);
    assert.ok(isFresh(root));
    process.env.CASTELLAN_RELEASE = 'v1.2.4';
    assert.not.ok(isFresh(root));
    delete process.env.CASTELLAN_RELEASE;
    assert.not.ok(isFresh(root));
    stamp(root);
    writeFileSync(join(folder, 'src', 'one.ts'), '2');
    assert.not.ok(isFresh(root));
  } finally {
    if (before === undefined) delete process.env.CASTELLAN_RELEASE;
    else process.env.CASTELLAN_RELEASE = before;
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
