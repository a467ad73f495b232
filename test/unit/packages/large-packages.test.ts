/** What makes large packages fast, and that none of it is less strict: hashing on a thread, writing ahead, one sync for many files. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { LargeFile } from '../../../src/packages/large-file.js';
import { streamHash } from '../../../src/packages/thread-hash.js';
import { libc } from '../../../src/process/libc.js';
import { type Step, watching } from '../../support/crash.js';
import { assert, suite } from '../../support/harness.js';
import { published, sample, serving, sha256, stageIn, withStore } from '../../support/package-store.js';
import { file } from '../../support/tar.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('large packages');
const MIB = 1_048_576;
const LARGE = 64 * MIB;

const pieces = (sizes: readonly number[]) => sizes.map((size, at) => Buffer.alloc(size, `${at} castellan `));

test('a hash on a thread is that of all pieces in order, whatever their sizes, and pieces may be used again at once', async () => {
  for (const sizes of [[], [1], [MIB], [MIB - 1, 2, 3 * MIB, 7], Array(40).fill(700_000), [12 * MIB + 5]]) {
    const hash = streamHash(LARGE);
    const expected = createHash('sha256');
    for (const piece of pieces(sizes)) {
      expected.update(piece);
      await hash.update(piece);
      piece.fill(0);
    }
    assert.is(await hash.digest(), expected.digest('hex'), JSON.stringify(sizes));
    hash.close();
  }
});

test('a thread that ended is a fault, never a digest', async () => {
  const hash = streamHash(LARGE);
  await hash.update(Buffer.alloc(10));
  hash.close();
  let fault = '';
  await hash.digest().catch((error: Error) => {
    fault = error.message;
  });
  assert.match(fault, /ended/);
});

test('a large file holds its pieces in order, and an error of a write comes out at the end', async () => {
  const path = join(tempDir('large'), 'file');
  const parts = pieces([10, MIB, 3 * MIB + 1, 0, 65_536, 20 * MIB, 5]);
  const handle = await open(path, 'wx');
  const large = new LargeFile(handle);
  for (const part of parts) await large.append(part);
  await large.end();
  await handle.close();
  assert.ok(readFileSync(path).equals(Buffer.concat(parts)));
  const full = await open('/dev/full', 'w');
  const failing = new LargeFile(full);
  let code = '';
  try {
    await failing.append(Buffer.alloc(2 * MIB));
    await failing.end();
  } catch (error) {
    code = (error as NodeJS.ErrnoException).code ?? '';
  }
  await full.close();
  assert.is(code, 'ENOSPC');
});

const many = sample(...Array.from({ length: 80 }, (_, at) => file(`many/${at}`, `${at}`)));

test('a package of many files is synced as a whole before its rename [LIFECYCLE-028]', async () => {
  const steps: Step['what'][] = [];
  await withStore(
    serving(many),
    async ({ store }) => {
      const directory = await watching(
        ({ what }) => void steps.push(what),
        () => published(store, many),
      );
      assert.ok(isRight(await store.verify(directory)));
    },
    {
      syncFileSystem: async (fd) => {
        steps.push('sync');
        await libc().syncFileSystem(fd);
      },
    },
  );
  assert.equal(steps.slice(0, 2), ['sync', 'rename']);
});

test('a sync of the whole that fails is a storage refusal and leaves nothing', async () => {
  const failing = async () => {
    throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'syncfs' });
  };
  await withStore(
    serving(many),
    async ({ store, names }) => {
      const staged = await stageIn(store, many);
      assert.ok(isLeft(staged));
      assert.is(staged.left.refusal, 'install_storage_failed');
      assert.equal(names(), []);
    },
    { syncFileSystem: failing },
  );
});

test('a descriptor that is none is an error of the file system', async () => {
  let error: NodeJS.ErrnoException | undefined;
  await libc()
    .syncFileSystem(100_000)
    .catch((thrown: NodeJS.ErrnoException) => {
      error = thrown;
    });
  assert.equal([error?.code, error?.syscall], ['EIO', 'syncfs']);
});

test('a large package with one byte changed is refused, hashed on the thread or not', async () => {
  const good = sample(file('big', Buffer.alloc(40 * MIB, 'x')));
  const bad = Buffer.from(good);
  bad[30 * MIB] = 0x79;
  await withStore(serving(bad, MIB), async ({ store, names }) => {
    const staged = await stageIn(store, good, { release: { digest: sha256(good) } });
    assert.ok(isLeft(staged));
    assert.match(staged.left.message, /digest is not the one/);
    assert.equal(names(), []);
  });
});

test.run();
