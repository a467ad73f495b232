import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../../../src/commands/ports.js';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { createTarFetcher } from '../../../src/packages/artifact-fetcher.js';
import type { Fetch } from '../../../src/packages/http-get.js';
import { fetchTrusting, selfSigned } from '../../support/certificate.js';
import { assert, suite } from '../../support/harness.js';
import {
  published,
  refusalOf,
  type StageAsk,
  sample,
  serving,
  sha256,
  stageIn,
  withStore,
} from '../../support/package-store.js';
import { handClock, withServer } from '../../support/packages.js';
import { file, folder } from '../../support/tar.js';

const test = suite('package store');
const local = { allowLoopbackHTTP: true };

/** Stages `bytes` from a server that answers with `listener`; answers the refusal. */
const refusedFrom = (listener: RequestListener, bytes: Uint8Array, ask: StageAsk = {}) =>
  withServer(listener, (origin) =>
    refusalOf(bytes, { ...ask, fetch: globalThis.fetch, release: { artifact: `${origin}/a.tar` }, policy: local }),
  );

test('a package comes over opted-in loopback HTTP, anonymously [PACKAGE-017] [PACKAGE-018]', async () => {
  const bytes = sample();
  const headers: object[] = [];
  await withServer(
    (request, response) => {
      headers.push(request.headers);
      response.end(bytes);
    },
    (origin) =>
      withStore(globalThis.fetch, async ({ store }) => {
        const ask = { release: { artifact: `${origin}/a.tar` }, policy: { ...local } };
        assert.ok(isRight(await stageIn(store, bytes, ask)));
      }),
  );
  assert.is(headers.length, 1);
  assert.not.match(JSON.stringify(headers), /authorization|cookie/i);
});

test('a package comes over HTTPS from a server this host trusts, and from no other [PACKAGE-016]', async () => {
  const bytes = sample();
  const { key, cert } = selfSigned();
  const server = createHttps({ key, cert }, (_request, response) => response.end(bytes));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const artifact = `https://127.0.0.1:${(server.address() as AddressInfo).port}/a.tar`;
  try {
    await withStore(fetchTrusting(cert), async ({ store }) => {
      await published(store, bytes, { release: { artifact } });
    });
    const refusal = await refusalOf(bytes, { fetch: globalThis.fetch, release: { artifact } });
    assert.is(refusal.refusal, 'package_fetch_failed');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a redirect, an error or a cut connection is a failed download with no address in it [PACKAGE-018]', async () => {
  const bytes = sample();
  const answers: RequestListener[] = [
    (request, response) =>
      request.url === '/b.tar' ? response.end(bytes) : response.writeHead(302, { location: '/b.tar' }).end(),
    (_request, response) => response.writeHead(404).end('secret words'),
    (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
    (_request, response) => void response.socket?.destroy(),
    (_request, response) => {
      response.writeHead(200, { 'content-length': String(bytes.length) });
      response.write(bytes.subarray(0, 700), () => response.socket?.destroy());
    },
  ];
  for (const answer of answers) {
    const refusal = await refusedFrom(answer, bytes);
    assert.is(refusal.refusal, 'package_fetch_failed');
    assert.not.match(refusal.message, /127\.0\.0\.1|http|secret/);
  }
});

test('a download that stalls at 90% ends by its deadline and leaves nothing', async () => {
  const bytes = sample(file('big', Buffer.alloc(200_000)));
  const clock = handClock();
  await withServer(
    (_request, response) => {
      response.writeHead(200, { 'content-length': String(bytes.length) });
      response.write(bytes.subarray(0, Math.floor(bytes.length * 0.9)));
    },
    (origin) =>
      withStore(
        globalThis.fetch,
        async ({ store, names }) => {
          const running = stageIn(store, bytes, { release: { artifact: `${origin}/a.tar` }, policy: local });
          const tick = setInterval(() => clock.advance(1_000), 2);
          const result = await running;
          clearInterval(tick);
          assert.ok(isLeft(result));
          assert.is(result.left.refusal, 'package_fetch_failed');
          assert.equal(names(), []);
        },
        { artifacts: createTarFetcher({ clock }) },
      ),
  );
});

test('a cancelled download leaves nothing and closes its connection [PACKAGE-032]', async () => {
  const bytes = sample(file('big', Buffer.alloc(3_000_000)));
  const stop = new AbortController();
  let closed: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const refusal = await refusedFrom(
    (_request, response) => {
      response.on('close', closed);
      response.write(bytes.subarray(0, 2_000_000));
    },
    bytes,
    { signal: stop.signal, onProgress: () => stop.abort() },
  );
  assert.is(refusal.refusal, 'package_fetch_failed');
  assert.match(refusal.message, /cancelled/);
  await gone;
});

test('a cancellation at any progress report leaves nothing [PACKAGE-032]', async () => {
  const bytes = sample(file('big', Buffer.alloc(3_000_000)));
  let reports = 0;
  const count = () => {
    reports += 1;
  };
  await withStore(serving(bytes), ({ store }) => stageIn(store, bytes, { onProgress: count }));
  assert.ok(reports >= 4);
  for (let at = 1; at <= reports; at += 1) {
    const stop = new AbortController();
    let seen = 0;
    const onProgress = () => {
      seen += 1;
      if (seen === at) stop.abort();
    };
    assert.match((await refusalOf(bytes, { signal: stop.signal, onProgress })).message, /cancelled/);
  }
});

test('progress never passes what was declared, and a false length is left out', async () => {
  const bytes = sample(file('big', Buffer.alloc(4_000_000)));
  const seen: Progress[] = [];
  const fetch: Fetch = async (input, init) => {
    const { body } = await serving(bytes)(input, init);
    return new Response(body, { headers: { 'content-length': '1500000' } });
  };
  await withStore(fetch, async ({ store }) => {
    assert.ok(isRight(await stageIn(store, bytes, { onProgress: (progress) => void seen.push(progress) })));
  });
  assert.ok(seen.length > 3);
  for (const { bytes: done = 0, totalBytes } of seen) assert.ok(totalBytes === undefined || done <= totalBytes);
});

test('abandoned stages are removed, published packages stay, also one from just before a crash [LIFECYCLE-035]', async () => {
  const bytes = sample();
  await withStore(serving(bytes), async ({ root, store, names }) => {
    const directory = await published(store, bytes);
    mkdirSync(join(root, 'stage-0001', 'deep', 'deeper'), { recursive: true });
    writeFileSync(join(root, 'stage-0001', 'deep', 'deeper', 'file'), 'x');
    chmodSync(join(root, 'stage-0001', 'deep', 'deeper'), 0o500);
    chmodSync(join(root, 'stage-0001', 'deep'), 0o000);
    mkdirSync(join(root, 'stage-0002'));
    // A crash between the rename and the closing of the folders leaves a whole package with open folders.
    const late = await stageIn(store, bytes);
    assert.ok(isRight(late));
    const stage = names().find((name) => /^stage-[0-9a-f]{32}$/.test(name)) ?? '';
    renameSync(join(root, stage), join(root, 'sample-1.0.0-000000000000-00000000'));
    const swept = await store.sweep();
    assert.ok(isRight(swept) && swept.right.removed === 2);
    assert.equal(names(), [directory, 'sample-1.0.0-000000000000-00000000'].sort());
    assert.ok(isRight(await store.verify('sample-1.0.0-000000000000-00000000')));
    const again = await store.sweep();
    assert.ok(isRight(again) && again.right.removed === 0);
  });
});

test('a stage in use is not swept', async () => {
  const bytes = sample();
  await withStore(serving(bytes), async ({ store, names }) => {
    const staged = await stageIn(store, bytes);
    assert.ok(isRight(staged));
    const swept = await store.sweep();
    assert.ok(isRight(swept) && swept.right.removed === 0);
    assert.ok(isRight(await store.publish(staged.right)));
    assert.is(names().length, 1);
  });
});

test('a start that cannot clean up says so in words of its own, and what to do', async () => {
  await withStore(serving(sample()), async ({ root, store }) => {
    mkdirSync(root, { recursive: true });
    chmodSync(root, 0o770);
    const swept = await store.sweep();
    if (isRight(swept)) throw new Error('it was swept');
    assert.is(swept.left.refusal, 'install_storage_failed');
    assert.match(swept.left.message, /left unfinished .* could not be cleaned up: .*can be written by other users/);
    assert.match(swept.left.message, /No add-on was started, and no installed add-on was changed/);
    assert.match(swept.left.message, /start the server again/);
    assert.not.match(swept.left.message, /install again|[Nn]othing was installed/);
  });
});

test('links planted in a stage, or as a stage, change and delete nothing outside [LIFECYCLE-043]', async () => {
  await withStore(serving(sample()), async ({ root, store, names }) => {
    const outside = join(root, '..', 'outside');
    mkdirSync(join(outside, 'folder'), { recursive: true, mode: 0o750 });
    writeFileSync(join(outside, 'folder', 'file'), 'keep', { mode: 0o640 });
    const before = execFileSync('ls', ['-lnR', '--time-style=full-iso', outside]).toString();
    mkdirSync(join(root, 'stage-0001', 'inner'), { recursive: true, mode: 0o700 });
    symlinkSync(outside, join(root, 'stage-0001', 'inner', 'link'));
    symlinkSync(join(outside, 'folder'), join(root, 'stage-0001', 'folder'));
    symlinkSync(join(outside, 'folder', 'file'), join(root, 'stage-0001', 'file'));
    symlinkSync(outside, join(root, 'stage-0002'));
    const swept = await store.sweep();
    assert.ok(isRight(swept) && swept.right.removed === 2);
    assert.equal(names(), []);
    assert.is(execFileSync('ls', ['-lnR', '--time-style=full-iso', outside]).toString(), before);
    assert.is(readFileSync(join(outside, 'folder', 'file'), 'utf8'), 'keep');
  });
});

test('a packages folder that is a link, or below one, is refused before anything is listed [LIFECYCLE-042]', async () => {
  const bytes = sample();
  for (const at of ['packages', 'parent'])
    await withStore(serving(bytes), async ({ root, store }) => {
      const base = join(root, '..');
      const real = mkdtempSync(join(tmpdir(), 'castellan-elsewhere-'));
      try {
        mkdirSync(join(real, 'packages', 'stage-0001'), { recursive: true });
        mkdirSync(join(real, 'stage-0001'));
        if (at === 'packages') symlinkSync(real, root);
        else {
          renameSync(base, `${base}-moved`);
          symlinkSync(real, base);
        }
        try {
          const swept = await store.sweep();
          assert.ok(isLeft(swept));
          assert.is(swept.left.refusal, 'install_storage_failed');
          assert.match(swept.left.message, /symbolic link/);
          assert.ok(isLeft(await stageIn(store, bytes)));
          assert.ok(existsSync(join(real, 'stage-0001')) && existsSync(join(real, 'packages', 'stage-0001')));
        } finally {
          if (at === 'parent') {
            rmSync(base);
            renameSync(`${base}-moved`, base);
          }
        }
      } finally {
        rmSync(real, { recursive: true });
      }
    });
});

test('a packages folder that others may write is refused [PACKAGE-036]', async () => {
  const bytes = sample();
  await withStore(serving(bytes), async ({ root, store }) => {
    mkdirSync(root, { mode: 0o700 });
    chmodSync(root, 0o770);
    const result = await stageIn(store, bytes);
    assert.ok(isLeft(result));
    assert.is(result.left.refusal, 'install_storage_failed');
    assert.equal(readdirSync(root), []);
  });
});

test('a file size limit of the system is a storage refusal and leaves nothing [PACKAGE-032]', () => {
  const script = `
    const { refusalOf, sample } = await import(${JSON.stringify(new URL('../../support/package-store.js', import.meta.url).href)});
    const { file } = await import(${JSON.stringify(new URL('../../support/tar.js', import.meta.url).href)});
    for (const size of [600_000, 3_000_000]) {
      const bytes = sample(file('big', Buffer.alloc(size)));
      const { serving } = await import(${JSON.stringify(new URL('../../support/package-store.js', import.meta.url).href)});
      const refusal = await refusalOf(bytes, { fetch: serving(bytes) });
      process.stdout.write(refusal.refusal + ' ');
    }`;
  const out = execFileSync('/bin/sh', [
    '-c',
    'ulimit -f 512; exec "$0" --input-type=module -e "$1"',
    process.execPath,
    script,
  ]);
  assert.is(out.toString(), 'install_storage_failed install_storage_failed ');
});

test('a failure at any step of an install does not stop the next one', async () => {
  const bytes = sample(folder('docs'), file('docs/a', 'x'));
  await withStore(serving(bytes), async ({ store, names }) => {
    const wrong = await stageIn(store, bytes, { release: { digest: sha256(Buffer.from('x')) } });
    assert.ok(isLeft(wrong));
    const other = await stageIn(store, bytes, { release: { version: '2.0.0' } });
    assert.ok(isLeft(other));
    const directory = await published(store, bytes);
    assert.equal(names(), [directory]);
  });
});

test.run();
