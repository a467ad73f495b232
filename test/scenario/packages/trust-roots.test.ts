/** Where the keys come from that signatures are verified with: a file of the operator, or the update framework of the public Sigstore. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initializeTUFRepo, tufHandlers } from '@tufjs/repo-mock';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { publicTrust } from '../../../src/packages/signatures/public-trust.js';
import { readTrustFile } from '../../../src/packages/signatures/trust-file.js';
import { assert, suite } from '../../support/harness.js';
import { handClock, memoryLog, withServer } from '../../support/packages.js';
import { type Sigstore, startSigstore, trustedRootBytes } from '../../support/sigstore.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('trust roots');
let sigstore: Sigstore;
test.before(async () => {
  sigstore = await startSigstore();
});
test.after(() => sigstore.close());
const never = new AbortController().signal;

function fileWith(bytes: Uint8Array | string, mode = 0o644): string {
  const path = join(tempDir('trust'), 'trusted_root.json');
  writeFileSync(path, bytes);
  chmodSync(path, mode);
  return path;
}
async function refused(path: string, why: RegExp): Promise<void> {
  const read = await readTrustFile(path);
  if (isRight(read)) throw new Error('it was taken');
  assert.match(read.left, why);
  assert.match(read.left, /^The file of --sigstore-trusted-root .* Nothing was started\.$/);
}

test('the trust root of a private deployment is a file of the operator [PACKAGE-043]', async () => {
  for (const mode of [0o644, 0o600, 0o444]) {
    const read = await readTrustFile(fileWith(trustedRootBytes(sigstore), mode));
    if (isLeft(read)) throw new Error(read.left);
    assert.ok(isRight(await read.right.verifier(never)));
  }
});

test('a file that others may write, that is too large, or that is none, is refused with its flag', async () => {
  const root = trustedRootBytes(sigstore);
  await refused(fileWith(root, 0o664), /written by other users/);
  await refused(fileWith(root, 0o646), /written by other users/);
  await refused(fileWith(Buffer.concat([root, Buffer.alloc(1_048_577, ' ')])), /larger than 1 MiB/);
  await refused(join(tempDir('trust'), 'absent'), /cannot be read/);
  await refused(tempDir('trust'), /not a regular file|cannot be read/);
  const loop = join(tempDir('trust'), 'loop');
  symlinkSync(loop, loop);
  await refused(loop, /cannot be read/);
});

test('a trust root that could verify nothing is refused, whichever part of it is missing or malformed', async () => {
  await refused(fileWith('no JSON'), /not valid JSON/);
  await refused(fileWith('{"mediaType":"a","mediaType":"b"}'), /not valid JSON/);
  for (const text of ['{}', '[]', 'null', '{"mediaType":"application/json"}']) await refused(fileWith(text), /./);
  const changed = (changes: object) => fileWith(trustedRootBytes(sigstore, changes));
  await refused(changed({ certificateAuthorities: [] }), /certificate authority/);
  await refused(changed({ ctlogs: [] }), /certificate log/);
  await refused(changed({ tlogs: [] }), /transparency log/);
  await refused(changed({ tlogs: undefined }), /transparency log/);
  await refused(changed({ mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' }), /not a trusted_root/);
  await refused(
    changed({ certificateAuthorities: [{ certChain: { certificates: [{ rawBytes: 'AAAA' }] } }] }),
    /cannot be read/,
  );
  await refused(changed({ ctlogs: [{ publicKey: { rawBytes: 'AAAA' }, logId: { keyId: 'AAAA' } }] }), /cannot be read/);
});

/** Serves `root` from an update framework of its own, and says what was asked of it. */
async function withMirror(
  root: Uint8Array,
  use: (mirror: { url: string; rootPath: string; asked: string[]; down: (yes: boolean) => void }) => Promise<void>,
): Promise<void> {
  const repository = initializeTUFRepo([{ name: 'trusted_root.json', content: Buffer.from(root) }]);
  const rootPath = fileWith(JSON.stringify(repository.rootMeta.toJSON()));
  const handlers = new Map(
    tufHandlers(repository, { metadataPathPrefix: '', targetPathPrefix: '/targets' }).map(({ path, fn }) => [path, fn]),
  );
  const asked: string[] = [];
  let down = false;
  await withServer(
    (request, response) => {
      asked.push(request.url ?? '');
      const answer = down ? undefined : handlers.get(request.url ?? '')?.();
      response.writeHead(answer?.statusCode ?? (down ? 503 : 404)).end(answer?.response);
    },
    (url) =>
      use({
        url,
        rootPath,
        asked,
        down: (yes) => {
          down = yes;
        },
      }),
  );
}

test(
  'without a file, the keys come from the update framework: fetched once, kept for a day, then fetched again [PACKAGE-044]',
  () =>
    withMirror(trustedRootBytes(sigstore), async ({ url, rootPath, asked, down }) => {
      const clock = handClock();
      const trust = publicTrust({ cachePath: tempDir('tuf'), clock, log: memoryLog(), mirror: { url, rootPath } });
      const [one, two] = await Promise.all([trust.verifier(never), trust.verifier(never)]);
      if (isLeft(one)) throw new Error(one.left);
      assert.is(one, two);
      const first = asked.length;
      assert.ok(first > 0);
      clock.advance(23 * 3_600_000);
      assert.is(await trust.verifier(never), one);
      assert.is(asked.length, first);
      clock.advance(2 * 3_600_000);
      assert.ok(isRight(await trust.verifier(never)));
      assert.ok(asked.length > first);
      clock.advance(25 * 3_600_000);
      down(true);
      assert.ok(isLeft(await trust.verifier(never)));
    }),
  120_000,
);

test(
  'keys that cannot be fetched, or that another root signed, verify nothing; the next try asks again [PACKAGE-044]',
  () =>
    withMirror(trustedRootBytes(sigstore), async ({ url, rootPath, down }) => {
      const log = memoryLog();
      const make = (path: string) =>
        publicTrust({ cachePath: tempDir('tuf'), clock: handClock(), log, mirror: { url, rootPath: path } });
      const trust = make(rootPath);
      down(true);
      const failed = await trust.verifier(never);
      assert.ok(isLeft(failed) && /could not be fetched or verified/.test(failed.left));
      assert.is(log.lines.length, 1);
      down(false);
      assert.ok(isRight(await trust.verifier(never)));
      const other = initializeTUFRepo([{ name: 'trusted_root.json', content: '{}' }]);
      assert.ok(isLeft(await make(fileWith(JSON.stringify(other.rootMeta.toJSON()))).verifier(never)));
    }),
  120_000,
);

test('fetched keys without a log or an authority are refused as those of a file are', () =>
  withMirror(trustedRootBytes(sigstore, { ctlogs: [] }), async ({ url, rootPath }) => {
    const trust = publicTrust({
      cachePath: tempDir('tuf'),
      clock: handClock(),
      log: memoryLog(),
      mirror: { url, rootPath },
    });
    const read = await trust.verifier(never);
    assert.ok(isLeft(read) && /certificate log/.test(read.left));
  }));

test('who is cancelled waits no longer for keys', () =>
  withServer(
    () => undefined,
    async (url) => {
      const rootPath = fileWith(JSON.stringify(initializeTUFRepo([]).rootMeta.toJSON()));
      const cachePath = join(tempDir('tuf'), 'deep');
      mkdirSync(cachePath);
      const trust = publicTrust({ cachePath, clock: handClock(), log: memoryLog(), mirror: { url, rootPath } });
      const stop = new AbortController();
      const asked = trust.verifier(stop.signal);
      stop.abort();
      const answer = await asked;
      assert.ok(isLeft(answer) && /cancelled/.test(answer.left));
      assert.ok(isLeft(await trust.verifier(stop.signal)));
    },
  ));

test.run();
