/** A library that requires signatures, from the command line to the receipt: what is installed, what is refused, and what it leaves. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { castellan } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { ARGS } from '../../support/killing-server.js';
import { type RealRegistry, startRegistry } from '../../support/registry.js';
import { clientOf, type RunningServer, startServer } from '../../support/server.js';
import { signedLibrary } from '../../support/signed-library.js';
import {
  IDENTITY,
  ISSUER,
  type Sigstore,
  signStatement,
  startSigstore,
  statement,
  trustedRootBytes,
} from '../../support/sigstore.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('a library that requires signatures');
const data = tempDir('signed');
const rootFile = join(tempDir('trust'), 'trusted_root.json');
const WITH_ROOT = [...ARGS, '--sigstore-trusted-root', rootFile];
let sigstore: Sigstore;
let foreign: Sigstore;
let registry: RealRegistry;
let library: Awaited<ReturnType<typeof signedLibrary>>;
let server: RunningServer;
let client: ReturnType<typeof clientOf>;

test.before(async () => {
  [sigstore, foreign, registry] = await Promise.all([startSigstore(), startSigstore(), startRegistry()]);
  writeFileSync(rootFile, trustedRootBytes(sigstore), { mode: 0o644 });
  library = await signedLibrary(registry, [
    { version: '0.8.0', sign: async ({ manifest }) => [await signStatement(foreign, statement(manifest.digest))] },
    { version: '0.9.0' },
    { version: '1.0.0', sign: async ({ manifest }) => [await signStatement(sigstore, statement(manifest.digest))] },
    { version: '1.1.0' },
    {
      version: '1.2.0',
      sign: async ({ manifest }) => [
        await signStatement(sigstore, statement(manifest.digest), { identity: 'https://github.com/acme/fork' }),
        await signStatement(sigstore, statement(manifest.digest)),
      ],
    },
  ]);
  server = await startServer(data, WITH_ROOT);
  client = clientOf(server.address);
});
test.after(async () => {
  await server.stop();
  await Promise.all([sigstore.close(), foreign.close(), registry.close(), library.close()]);
});

const packages = () => readdirSync(join(data, 'addons', 'packages')).sort();
interface Entry {
  readonly id: string;
  readonly version: string;
  readonly generation: number;
  readonly verification: string;
  readonly signer?: object;
}
async function installed(): Promise<Entry | undefined> {
  const { body } = await client.dispatch<{ payload: { addons: Entry[] } }>({
    action: 'addons-installed',
    operationId: 'look',
    arguments: {},
  });
  return body.payload.addons.find(({ id }) => id === 'counter');
}
let asked = 0;
async function act(action: 'install' | 'upgrade', version: string) {
  asked += 1;
  const order = { addonId: 'counter', operationId: `do-${asked}`, action, arguments: { sourceId: 'signed', version } };
  return client.dispatch<{ error?: { type: string; message: string } }>(order);
}

test('the command line adds a library with the signer it requires, and refuses one that names nobody', async () => {
  const add = (id: string, ...more: string[]) =>
    castellan(data, 'library', 'add', '--id', id, '--url', library.url, '--allow-loopback-http', ...more);
  for (const more of [
    ['--require-signature'],
    ['--require-signature', '--issuer', ISSUER],
    ['--require-signature', '--identity', IDENTITY],
    ['--require-signature', '--issuer', ISSUER, '--identity', ''],
    ['--require-signature', '--issuer', ISSUER, '--identity-regex', '^a|b$'],
    ['--require-signature', '--issuer', ISSUER, '--identity', IDENTITY, '--identity-regex', '^a$'],
    ['--issuer', ISSUER, '--identity', IDENTITY],
  ]) {
    const ran = await add('none', ...more);
    assert.is(ran.code, 1, more.join(' '));
    assert.match(ran.err, /Nothing changed/);
  }
  const added = await add('signed', '--require-signature', '--issuer', ISSUER, '--identity', IDENTITY);
  assert.is(added.code, 0, added.err);
  assert.match(added.out, /5 releases/);
});

test('what is not signed as the library requires is refused, leaves nothing, and does not stand in the way of what is [LIBRARY-022] [TRUST-005] [PACKAGE-006]', async () => {
  for (const [version, why] of [
    ['0.9.0', /it has none/],
    ['0.8.0', /not from an authority/],
  ] as const) {
    const refused = await act('install', version);
    assert.is(refused.status, 403);
    assert.is(refused.body.error?.type, 'package_unverified');
    assert.match(refused.body.error?.message ?? '', why);
    assert.equal(packages(), []);
    assert.is(await installed(), undefined);
  }
  const good = await act('install', '1.0.0');
  assert.is(good.status, 200, JSON.stringify(good.body));
  const entry = await installed();
  assert.is(entry?.verification, 'sha256+sigstore');
  assert.equal(entry?.signer, { issuer: ISSUER, identity: IDENTITY });
});

test('the receipt and the journal say who signed', async () => {
  const [name = ''] = packages();
  const receipt = JSON.parse(readFileSync(join(data, 'addons', 'packages', name, 'receipt.json'), 'utf8'));
  assert.is(receipt.verification, 'sha256+sigstore');
  assert.equal(receipt.signer, { issuer: ISSUER, identity: IDENTITY });
  assert.is(receipt.digest, library.images[2]?.manifest.digest);
  const { out } = await castellan(data, 'journal', 'tail', '-n', '50', '--json');
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; payload: Record<string, unknown> });
  const published = events.filter(({ type }) => type === 'PackagePublished').at(-1);
  assert.match(
    JSON.stringify(published?.payload),
    new RegExp(`"signer":\\{[^}]*"identity":"${IDENTITY.replaceAll('.', '\\.')}"`),
  );
});

test('an unsigned upgrade changes nothing, and the next good one succeeds, whatever lies in the folder of the old version', async () => {
  const before = await installed();
  const refused = await act('upgrade', '1.1.0');
  assert.is(refused.status, 403);
  assert.is(refused.body.error?.type, 'package_unverified');
  assert.equal(await installed(), before);
  assert.is(packages().length, 1);
  const old = join(data, 'addons', 'packages', packages()[0] ?? '');
  chmodSync(old, 0o755);
  writeFileSync(join(old, 'unsigned.txt'), 'left behind');
  writeFileSync(join(old, 'sha256-0.sig'), '');
  const upgraded = await act('upgrade', '1.2.0');
  assert.is(upgraded.status, 200, JSON.stringify(upgraded.body));
  const after = await installed();
  assert.is(after?.version, '1.2.0');
  assert.is(after?.verification, 'sha256+sigstore');
  assert.equal(after?.signer, { issuer: ISSUER, identity: IDENTITY });
});

test('a server that cannot have the keys of the public Sigstore installs nothing that must be signed, and says why [PACKAGE-044]', async () => {
  await server.stop();
  // Nobody answers there, so that no test ever asks the public service.
  process.env.HTTPS_PROXY = 'http://127.0.0.1:9';
  try {
    server = await startServer(data, ARGS);
  } finally {
    delete process.env.HTTPS_PROXY;
  }
  client = clientOf(server.address);
  const refused = await act('upgrade', '1.0.0');
  assert.is(refused.status, 403, JSON.stringify(refused.body));
  assert.is(refused.body.error?.type, 'package_fetch_failed');
  assert.match(refused.body.error?.message ?? '', /keys of the public Sigstore/);
  assert.match(server.output(), /ECONNREFUSED/);
  assert.is((await installed())?.version, '1.2.0');
});

test('a trust root that cannot be used stops the start and names its flag [PACKAGE-043]', async () => {
  const bad = join(tempDir('trust'), 'bad.json');
  writeFileSync(bad, '{}', { mode: 0o600 });
  for (const path of [bad, join(tempDir('trust'), 'absent')]) {
    const fresh = join(tempDir('trust'), 'data');
    const ran = await castellan(fresh, 'run', '--address', '127.0.0.1:0', '--sigstore-trusted-root', path);
    assert.is(ran.code, 1);
    assert.match(ran.err, /--sigstore-trusted-root/);
  }
});

test.run();
