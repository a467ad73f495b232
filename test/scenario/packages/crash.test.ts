/**
 * Publication under crashes: a process is killed at its n-th sync or rename, for every n; and every sync, rename or write fails
 * once. What must survive: packages published before, and every package whose name was answered. What may be left: stages, which
 * the sweep removes.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { createTarFetcher } from '../../../src/packages/artifact-fetcher.js';
import { DEFAULT_PACKAGE_LIMITS } from '../../../src/packages/package-limits.js';
import { createPackageStore } from '../../../src/packages/store.js';
import { BYTES, type Step, watching } from '../../support/crash.js';
import { assert, suite } from '../../support/harness.js';
import { HOST, published, serving, stageIn, testIds, withStore } from '../../support/package-store.js';
import { realClock } from '../../support/packages.js';
import { removeTree } from '../../support/temp-dir.js';

const test = suite('publication under crashes');

test('everything of a package is synced before the rename, and the rename before its name is answered [LIFECYCLE-028]', () =>
  withStore(serving(BYTES), async ({ root, store }) => {
    const steps: Step[] = [];
    const directory = await watching(
      (step) => void steps.push(step),
      () => published(store, BYTES),
    );
    const at = steps.findIndex(({ what }) => what === 'rename');
    assert.ok(at > 0);
    const before = steps.slice(0, at).map(({ path }) => path.replace(/^.*\/stage-[0-9a-f]+\/?/, ''));
    assert.equal([...before].sort(), [
      '',
      'bin',
      'bin/run',
      'docs',
      'docs/a',
      'docs/b',
      'manifest.json',
      'receipt.json',
    ]);
    assert.is(before.at(-1), '');
    const after = steps.slice(at + 1).map(({ path }) => path);
    assert.equal(
      [...after].sort(),
      [root, ...['', '/bin', '/docs'].map((path) => join(root, directory) + path)].sort(),
    );
    assert.is(after.at(-1), root);
  }));

test('a failure of any one sync or rename is a storage refusal, leaves nothing and does not stop the next install [PACKAGE-032] [PACKAGE-033]', async () => {
  let steps = 0;
  const count = () => {
    steps += 1;
  };
  await withStore(serving(BYTES), ({ store }) => watching(count, () => published(store, BYTES)));
  assert.ok(steps > 10);
  for (let at = 1; at <= steps; at += 1)
    await withStore(serving(BYTES), async ({ store, names }) => {
      const first = await published(store, BYTES);
      let seen = 0;
      const fail = () => {
        seen += 1;
        if (seen === at) throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fsync' });
      };
      const refusal = await watching(fail, async () => {
        const staged = await stageIn(store, BYTES);
        if (isLeft(staged)) return staged.left;
        const done = await store.publish(staged.right);
        return isLeft(done) ? done.left : undefined;
      });
      assert.is(refusal?.refusal, 'install_storage_failed', `step ${at}`);
      assert.equal(names(), [first], `step ${at}`);
      assert.ok(isRight(await store.verify(first)));
      if (at % 4 === 0) await published(store, BYTES);
    });
}, 180_000);

/** Stages and publishes in `root`, and dies by a signal at the step named in its argument; prints the name once it is answered. */
const CHILD = `
  const [root, at, self] = process.argv.slice(1);
  const { publishUntil } = await import(self);
  process.stdout.write(await publishUntil(root, Number(at)));
`;

const runChild = (root: string, at: number) =>
  new Promise<{ killed: boolean; name: string }>((resolve) => {
    const self = new URL('../../support/crash.js', import.meta.url).href;
    const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, root, String(at), self], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let name = '';
    child.stdout.on('data', (chunk) => {
      name += chunk;
    });
    child.on('close', (_code, signal) => resolve({ killed: signal === 'SIGKILL', name }));
  });

test('a kill at any sync or rename leaves stages to sweep or a whole package, never a part of one [LIFECYCLE-035]', async () => {
  const base = mkdtempSync(join(tmpdir(), 'castellan-crash-'));
  try {
    let kills = 0;
    for (let at = 1; ; at += 1) {
      const root = join(base, String(at));
      const { killed, name } = await runChild(root, at);
      const store = createPackageStore({
        root,
        host: HOST,
        ids: testIds,
        artifacts: createTarFetcher({ clock: realClock }),
        limits: DEFAULT_PACKAGE_LIMITS,
      });
      assert.ok(isRight(await store.sweep()));
      const names = readdirSync(root);
      for (const found of names) assert.ok(isRight(await store.verify(found)), `step ${at}: ${found}`);
      if (!killed) {
        assert.equal(names, [name]);
        break;
      }
      kills += 1;
      assert.is(name, '');
    }
    assert.ok(kills > 10);
  } finally {
    removeTree(base);
  }
}, 180_000);

test.run();
