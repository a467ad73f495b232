/** The whole server: a package from a registry with a password is installed and runs, and its bytes are told while they come. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { castellan } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { type OciLibrary, ociLibrary } from '../../support/oci-library.js';
import { PASSWORD, USER } from '../../support/registry.js';
import { clientOf, dataPath, startServer } from '../../support/server.js';

const test = suite('a package from a registry, through the server');
const MIB = 1_048_576;

interface Progress {
  readonly phase: string;
  readonly bytes?: number;
  readonly totalBytes?: number;
}

/** What `POST /api/addons/relay` tells until the operation ends. */
async function told(address: string, operationId: string): Promise<readonly { state: string; progress?: Progress }[]> {
  const body = { kind: 'progress', request: { operationId, action: 'operation-status', arguments: { operationId } } };
  const response = await fetch(`${address}/api/addons/relay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.is(response.status, 200);
  return [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

const install = (operationId: string) => ({
  addonId: 'counter',
  operationId,
  generation: 0,
  action: 'install',
  arguments: { sourceId: 'acme', version: '1.0.0' },
});

async function withServerOf(
  library: OciLibrary,
  args: readonly string[],
  use: (address: string, path: string, output: () => string) => Promise<void>,
) {
  const data = dataPath();
  try {
    const added = await castellan(
      data.path,
      'library',
      'add',
      '--id',
      'acme',
      '--url',
      library.url,
      '--allow-loopback-http',
    );
    assert.is(added.code, 0, added.err);
    const server = await startServer(data.path, ['--addons-official-library=false', '--log-level=trace', ...args]);
    try {
      await use(server.address, data.path, server.output);
    } finally {
      await server.stop();
    }
  } finally {
    data.remove();
    await library.close();
  }
}

test('the bytes of a download are told while they come and never beyond their sum, and no secret is in a log, the journal or an answer [PACKAGE-009]', async () => {
  const library = await ociLibrary(4 * MIB, 2 * MIB);
  await withServerOf(library, ['--credentials', library.credentials], async (address, path, output) => {
    const client = clientOf(address);
    await client.post('/api/addons/dispatch', install('install-1'), { Prefer: 'respond-async' });
    const statuses = await told(address, 'install-1');
    assert.is(statuses.at(-1)?.state, 'completed', JSON.stringify(statuses.at(-1)));
    const bytes = statuses.flatMap(({ progress }) => (progress?.phase === 'downloading' ? [progress] : []));
    assert.ok(bytes.length >= 2, JSON.stringify(statuses));
    for (const { bytes: done = 0, totalBytes } of bytes) {
      assert.is(totalBytes, library.bytes);
      assert.ok(done <= library.bytes);
    }
    const { body } = await client.dispatch({ ...install('enable-1'), action: 'enable', generation: 1, arguments: {} });
    assert.is((body.payload as { state?: string }).state, 'completed', JSON.stringify(body));
    const apps = await client.get<{ apps: { id: string; state: string }[] }>('/api/addons/apps');
    assert.equal(
      apps.body.apps.map(({ id, state }) => `${id} ${state}`),
      ['counter running'],
    );
    const journal = await castellan(path, 'journal', 'export', '--format', 'ndjson');
    assert.is(journal.code, 0, journal.err);
    assert.match(journal.out, new RegExp(library.digest));
    for (const text of [output(), journal.out, JSON.stringify(statuses)])
      assert.not.match(text, new RegExp(`${PASSWORD}|${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`));
  });
}, 120_000);

test('without the credential the install fails with its type, and nothing is there', async () => {
  const library = await ociLibrary(0, 64 * MIB);
  await withServerOf(library, [], async (address) => {
    const client = clientOf(address);
    const { status, body } = await client.dispatch(install('install-1'));
    assert.is(status, 403);
    const { error } = body as { error?: { type: string; message: string } };
    assert.is(error?.type, 'package_fetch_failed');
    assert.match(error?.message ?? '', /asks for a credential, and none is set up/);
    assert.equal((await client.get('/api/addons/apps')).body, { apps: [] });
  });
}, 120_000);

test('a file of credentials that others may read, or that is not as it must be, stops the start and is not quoted', async () => {
  const data = dataPath();
  const file = join(data.path, 'credentials.json');
  const good = { registries: [{ origin: 'https://registry.example', kind: 'basic', secret: { value: 'a:hidden' } }] };
  const cases: readonly [unknown, number, RegExp][] = [
    [good, 0o644, /mode 0600/],
    ['{"registries":', 0o600, /not valid JSON/],
    [
      { registries: [{ ...good.registries[0], origin: 'https://registry.example/path' }] },
      0o600,
      /registries\.0\.origin/,
    ],
    [{ registries: [{ ...good.registries[0], origin: 'http://registry.example' }] }, 0o600, /registries\.0\.origin/],
    [{ registries: [{ ...good.registries[0], password: 'hidden' }] }, 0o600, /registries\.0/],
    [{ registries: [...good.registries, ...good.registries] }, 0o600, /two entries/],
    [
      { libraries: [{ reference: 'a b', origin: 'https://a.example', kind: 'basic', secret: { env: 'A' } }] },
      0o600,
      /libraries\.0\.reference/,
    ],
  ];
  try {
    for (const [content, mode, words] of cases) {
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
      const { chmodSync } = await import('node:fs');
      chmodSync(file, mode);
      const { code, err } = await castellan(data.path, 'run', '--address', '127.0.0.1:0', '--credentials', file);
      assert.is(code, 1, err);
      assert.match(err, words);
      assert.not.match(err, /hidden/);
    }
    assert.not.match(readFileSync(file, 'utf8'), /^$/);
  } finally {
    data.remove();
  }
}, 120_000);

test.run();
