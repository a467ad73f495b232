/** What makes large packages fast, and that none of it is less strict: a thread that unpacks, writing ahead, one sync for many files. */
import fs, { fstatSync, openSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { streamingFetch } from '../../../src/packages/http-body.js';
import type { Fetch } from '../../../src/packages/http-get.js';
import { LargeFile } from '../../../src/packages/large-file.js';
import { libc } from '../../../src/process/libc.js';
import { type Step, watching } from '../../support/crash.js';
import { assert, suite } from '../../support/harness.js';
import { published, sample, serving, sha256, stageIn, withStore } from '../../support/package-store.js';
import { withServer } from '../../support/packages.js';
import { file, header } from '../../support/tar.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('large packages');
const MIB = 1_048_576;

const pieces = (sizes: readonly number[]) => sizes.map((size, at) => Buffer.alloc(size, `${at} castellan `));

test('a large file holds its pieces in order, with its mode, and is closed at its end', async () => {
  const path = join(tempDir('large'), 'file');
  const parts = pieces([10, MIB, 3 * MIB + 1, 0, 65_536, 20 * MIB, 5]);
  const fd = openSync(path, 'wx');
  const large = new LargeFile(fd);
  for (const part of parts) large.append(part);
  await large.end(0o555);
  assert.ok(readFileSync(path).equals(Buffer.concat(parts)));
  assert.is(statSync(path).mode & 0o777, 0o555);
  assert.throws(() => fstatSync(fd), /EBADF/);
});

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ code }: NodeJS.ErrnoException) => code,
  );

test('a write that fails is told at once, and the file can be closed all the same', async () => {
  const fd = openSync('/dev/full', 'w');
  const failing = new LargeFile(fd);
  assert.throws(() => failing.append(Buffer.alloc(1000)), /ENOSPC/);
  await failing.close();
  assert.throws(() => fstatSync(fd), /EBADF/);
});

test('a sync on the way that fails is not forgotten: the system would not tell it again [LIFECYCLE-028]', async () => {
  const { fdatasync } = fs;
  const error = Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' });
  Object.assign(fs, { fdatasync: (_fd: number, done: fs.NoParamCallback) => setImmediate(done, error) });
  syncBuiltinESMExports();
  try {
    const large = new LargeFile(openSync(join(tempDir('large'), 'file'), 'wx'));
    large.append(Buffer.alloc(17 * MIB));
    assert.is(await codeOf(large.end(0o444)), 'EIO');
  } finally {
    fs.fdatasync = fdatasync;
    syncBuiltinESMExports();
  }
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

/** Without a length: what may be long is unpacked on a thread. */
const unmeasured =
  (bytes: Uint8Array): Fetch =>
  async (url, init) => ({ status: 200, headers: new Headers(), body: (await serving(bytes)(url, init)).body });

const openBelow = (root: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(root);
    } catch {
      return false;
    }
  });

test('a thread refuses what the loop refuses, in the same words, and leaves nothing written or open [PACKAGE-033]', async () => {
  const limits = { entries: 20, expandedBytes: 3_000_000 };
  const good = sample(file('a', 'x'));
  for (const bytes of [
    sample(file('a', '1'), file('a', '2')),
    sample(file('a', '1'), file('a/b', '2')),
    sample(file('../a', '1')),
    sample(file('receipt.json', '{}')),
    sample(header({ name: 'a', size: 0, type: '2', link: 'b' })),
    sample(...Array.from({ length: 30 }, (_, at) => file(`many/${at}`, ''))),
    sample(file('big', Buffer.alloc(3_000_000))),
    Buffer.concat([good, Buffer.alloc(512, 1)]),
    good.subarray(0, good.length - 1024),
    good.subarray(0, 700),
  ]) {
    const refusals: unknown[] = [];
    for (const fetch of [serving(bytes), unmeasured(bytes)])
      await withStore(
        fetch,
        async ({ root, store, names }) => {
          const staged = await stageIn(store, bytes);
          assert.ok(isLeft(staged));
          refusals.push(staged.left);
          assert.equal([names(), openBelow(root)], [[], []]);
        },
        { limits },
      );
    assert.equal(refusals[1], refusals[0]);
  }
});

test('files of any size beside the pieces that the threads share are the same on both', async () => {
  const sizes = [0, 1, 512, 700_000, MIB - 1, MIB, MIB + 1, 3 * MIB + 7, 100, 2 * MIB];
  const bytes = sample(...pieces(sizes).map((content, at) => file(`data/${at}`, content)));
  const receipts: unknown[] = [];
  for (const fetch of [serving(bytes, 100_003), unmeasured(bytes), serving(bytes, 5 * MIB)])
    await withStore(fetch, async ({ root, store }) => {
      const directory = await published(store, bytes);
      for (const [at, content] of pieces(sizes).entries())
        assert.ok(readFileSync(join(root, directory, `data/${at}`)).equals(content), `${at}`);
      receipts.push(await store.receipt(directory));
    });
  assert.equal([receipts[1], receipts[2]], [receipts[0], receipts[0]]);
});

test('an installation that is cancelled while a thread unpacks it leaves nothing written or open', async () => {
  const bytes = sample(...pieces([8 * MIB, 20 * MIB]).map((content, at) => file(`data/${at}`, content)));
  const stop = new AbortController();
  await withStore(serving(bytes), async ({ root, store, names }) => {
    const onProgress = ({ bytes: done = 0 }) => {
      if (done > 12 * MIB) stop.abort();
    };
    const staged = await stageIn(store, bytes, { signal: stop.signal, onProgress });
    assert.ok(isLeft(staged));
    assert.match(staged.left.message, /cancelled/);
    assert.equal([names(), openBelow(root)], [[], []]);
  });
});

test('a kept connection that the server just closed is replaced, once, by a new one', async () => {
  const seen = new Map<object, number>();
  await withServer(
    (request, response) => {
      const count = (seen.get(request.socket) ?? 0) + 1;
      seen.set(request.socket, count);
      if (count > 1) request.socket.destroy();
      else response.end('answer');
    },
    async (origin) => {
      for (let at = 0; at < 3; at += 1) {
        const init = { headers: {}, signal: new AbortController().signal };
        const { status, body } = await streamingFetch(new URL(origin), init);
        let text = '';
        for await (const piece of body as AsyncIterable<Uint8Array>) text += Buffer.from(piece).toString();
        assert.equal([status, text], [200, 'answer']);
      }
    },
  );
  assert.ok([...seen.values()].includes(2), 'a kept connection was used again');
});

test.run();
