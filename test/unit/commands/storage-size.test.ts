import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, StorageSizes } from '../../../src/commands/lifecycle/storage-size.js';
import { assert, suite } from '../../support/harness.js';
import { TestClock } from '../../support/lifecycle-world.js';

const test = suite('size of retained data');

let root = '';
test.beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'castellan-size-'));
});
test.afterEach(() => rmSync(root, { recursive: true, force: true }));

const WIDE = { entries: 20_000, ms: 60_000 };

test('files at every depth are added up, links are not followed [MANAGE-021]', async () => {
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  writeFileSync(join(root, 'one'), 'x'.repeat(100));
  writeFileSync(join(root, 'a', 'b', 'two'), 'x'.repeat(50));
  symlinkSync('/etc', join(root, 'link'));
  symlinkSync(join(root, 'one'), join(root, 'a', 'file-link'));
  assert.equal(await measure(root, () => 0, WIDE), { bytes: 150, truncated: false });
});

test('a missing directory has no size', async () => {
  assert.equal(await measure(join(root, 'none'), () => 0, WIDE), { bytes: 0, truncated: false });
});

test('the walk stops at its number of entries and at its time, and says so [MANAGE-021]', async () => {
  for (let index = 0; index < 100; index += 1) writeFileSync(join(root, `f-${index}`), 'x');
  const cut = await measure(root, () => 0, { entries: 40, ms: 60_000 });
  assert.equal([cut.truncated, cut.bytes], [true, 40]);
  let now = 0;
  const late = await measure(root, () => now++, { entries: 20_000, ms: 10 });
  assert.ok(late.truncated && late.bytes < 100);
});

test('what cannot be read makes the size a lower bound', async () => {
  writeFileSync(join(root, 'no-folder'), 'x');
  assert.equal(await measure(join(root, 'no-folder'), () => 0, WIDE), { bytes: 0, truncated: true });
});

test('a size is remembered for 30 seconds, then taken again [MANAGE-022]', async () => {
  const clock = new TestClock();
  const sizes = new StorageSizes(clock);
  writeFileSync(join(root, 'one'), 'x');
  assert.is((await sizes.of(root)).bytes, 1);
  writeFileSync(join(root, 'two'), 'x');
  clock.advance(29_999);
  assert.is((await sizes.of(root)).bytes, 1);
  clock.advance(1);
  assert.is((await sizes.of(root)).bytes, 2);
});

test.run();
