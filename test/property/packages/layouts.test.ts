/** Paths and permission bits at random, as a publisher and an installer see them (15:40-48). */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { modeProblem } from '../../../src/packages/layout/layers.js';
import { verifyLayout } from '../../../src/packages/layout/layout-verify.js';
import { pathProblem } from '../../../src/packages/package-path.js';
import { assert, suite } from '../../support/harness.js';
import { layer, layoutOf, PLAIN, readModel, writeModel } from '../../support/layouts.js';
import { executable, manifestFile, serving, stageIn, withStore } from '../../support/package-store.js';
import { archive, file } from '../../support/tar.js';

const test = suite('layouts at random');
const mode = fc.integer({ min: 0, max: 0o7777 });
/** Names of which many are not allowed. */
const name = fc.oneof(
  fc
    .array(fc.constantFrom('a', 'lib', '..', '.', '', 'x.so', 'bin', 'run', 'b\\c', 'é'), {
      minLength: 1,
      maxLength: 5,
    })
    .map((parts) => parts.join('/')),
  fc.constantFrom('/etc/passwd', '../x', 'bin/run', 'bin', 'bin/run/x', 'manifest.json', 'receipt.json', 'lib/one.so'),
  fc.stringMatching(/^[a-z0-9/._-]{1,60}$/),
);

test('a further file is taken only under a name that is plain, free and no folder, with exactly the mode of its kind [DIST-024] [DIST-025] [DIST-026]', async () => {
  let taken = 0;
  const layout = await layoutOf(PLAIN);
  const model = readModel(layout);
  const files = layer(model, 'executable').files;
  const { length } = files;
  await fc.assert(
    fc.asyncProperty(
      name,
      fc.oneof(mode, fc.constant(0o644)),
      fc.constantFrom('0', '0', '0', '1', '2', '3', '6', 'S'),
      async (path, bits, type) => {
        files.length = length;
        const bytes = Buffer.from(type === '0' ? 'x' : '');
        files.push({ name: path, content: bytes, mode: bits, ...(type === '0' ? {} : { type, link: 'bin/run' }) });
        writeModel(layout, model);
        const verified = await verifyLayout(layout);
        const used =
          ['bin/run', 'bin', 'manifest.json', 'receipt.json'].includes(path) ||
          /^(bin\/run|manifest\.json)\//.test(path);
        const allowed =
          type === '0' && bits === 0o644 && pathProblem(path) === undefined && !used && !path.startsWith('skills/');
        if (allowed) taken += 1;
        assert.is(isRight(verified), allowed, `${JSON.stringify(path)} ${bits.toString(8)} ${type}`);
        assert.is(modeProblem(path, bits, false) === undefined, bits === 0o644);
      },
    ),
    { numRuns: 250 },
  );
  assert.ok(taken > 5, `only ${taken} were taken`);
}, 120_000);

/** Every file below a published package with the permission bits it has on disk. */
const modesOf = (directory: string): Record<string, number> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(directory.length + 1), lstatSync(path).mode & 0o7777]),
  );

test('an installer has the same rules for paths, and takes nothing of a mode but the execute bit of the owner [DIST-030]', async () => {
  let installed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.record({ path: name, bits: mode }), { maxLength: 4, selector: ({ path }) => path }),
      mode,
      async (entries, ofExecutable) => {
        const parts = entries.map(({ path, bits }) => file(path, 'x', { mode: bits }));
        const bytes = archive(manifestFile(), executable('#!/bin/sh\n'), ...parts);
        const bad = entries.some(({ path }) => pathProblem(path) !== undefined || path.startsWith('skills/'));
        await withStore(serving(bytes), async ({ store, root }) => {
          const staged = await stageIn(store, bytes);
          if (bad) return assert.ok(isLeft(staged), JSON.stringify(entries));
          if (isLeft(staged)) return undefined;
          const published = await store.publish(staged.right);
          if (isLeft(published)) throw new Error(published.left.message);
          const found = modesOf(join(root, published.right.directory));
          for (const { path, bits } of entries) assert.is(found[path], (bits & 0o100) === 0 ? 0o444 : 0o555, path);
          installed += 1;
          return undefined;
        });
        const odd = archive(manifestFile(), file('bin/run', '#!/bin/sh\n', { mode: ofExecutable }));
        await withStore(serving(odd), async ({ store }) => {
          const staged = await stageIn(store, odd);
          assert.is(isRight(staged), (ofExecutable & 0o100) !== 0);
        });
      },
    ),
    { numRuns: 60 },
  );
  assert.ok(installed > 5, `only ${installed} were installed`);
}, 120_000);
test.run();
