import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppEntry, SourceView } from '../../../src/contract/api.js';
import { isRight } from '../../../src/contract/fp.js';
import { ORIGIN } from '../../../src/packages/index-format.js';
import { parseLibraryIndex } from '../../../src/packages/library-index.js';
import { castellan } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { counterLibrary } from '../../support/library-server.js';
import { clientOf, dataPath, ROOT, startServer } from '../../support/server.js';

const test = suite('one store of sources');

interface Sources {
  readonly sources: readonly SourceView[];
  readonly officialLibraries: boolean;
}

async function withData(run: (path: string) => Promise<void>): Promise<void> {
  const data = dataPath();
  try {
    await run(data.path);
  } finally {
    data.remove();
  }
}

async function withServer<A>(path: string, args: readonly string[], run: (at: Client) => Promise<A>): Promise<A> {
  const server = await startServer(path, args);
  try {
    return await run(clientOf(server.address));
  } finally {
    await server.stop();
  }
}
type Client = ReturnType<typeof clientOf>;

const list = async (client: Client) => (await client.get<Sources>('/api/library/sources')).body.sources;
const find = async (client: Client, id: string) => (await list(client)).find((source) => source.id === id);

async function eventually<A>(ask: () => Promise<A | undefined | false>): Promise<A> {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('it never came');
}

test('the command line, the routes and dispatch change one store, which a restart keeps [SOURCES-003] [SOURCES-004] [SOURCES-030]', () =>
  withData(async (path) => {
    await withServer(path, [], async (client) => {
      const url = 'https://lib.invalid/i.yaml';
      assert.is((await castellan(path, 'library', 'add', '--id', 'cli', '--url', url)).code, 0);
      assert.is((await client.post('/api/library/sources', { kind: 'backend', url, id: 'http' })).status, 201);
      const said = { id: 'typed', url: 'https://typed.invalid/i.yaml' };
      const saved = { action: 'catalog-source-save', operationId: 'op-1', arguments: said };
      assert.is((await client.dispatch(saved)).status, 200);
      assert.is((await client.post('/api/library/sources/cli/disable', {})).status, 200);
      assert.is((await castellan(path, 'library', 'remove', 'official')).code, 0);
      const words = (await castellan(path, 'library', 'list')).out;
      assert.match(words, /^cli\taddon\tdisabled\t/m);
      assert.match(words, /^official\taddon\tremoved\t/m);
      const printed = await castellan(path, 'library', 'list', '--json');
      const told = (JSON.parse(printed.out) as Sources).sources;
      const seen = await list(client);
      assert.equal(told, seen);
      const own = seen.filter((source) => !source.default).map(({ id, kind, enabled }) => [id, kind, enabled]);
      assert.equal(own, [
        ['cli', 'addon', false],
        ['http', 'backend', true],
        ['typed', 'addon', true],
      ]);
      assert.is((await find(client, 'official'))?.removed, true);
    });
    const stored = await castellan(path, 'journal', 'show', 'source-addon-cli', '--json');
    assert.equal(
      stored.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
      ['SourceAdded', 'SourceDisabled'],
    );
    await withServer(path, [], async (client) => {
      assert.is((await find(client, 'official'))?.removed, true);
      assert.is((await find(client, 'cli'))?.enabled, false);
      assert.is((await find(client, 'http'))?.kind, 'backend');
      assert.is((await client.post('/api/library/sources/nowhere/enable', {})).status, 404);
      assert.is((await client.post('/api/library/sources/nowhere/disable', {})).status, 404);
    });
  }));

test('a fresh root has no add-on installed and only the official library of add-ons; the one person sees all [LIBRARY-019] [LIBRARY-035]', () =>
  withData((path) =>
    withServer(path, [], async (client) => {
      const addons = (await list(client)).filter(({ kind }) => kind === 'addon');
      assert.equal(
        addons.map(({ id }) => id),
        ['official'],
      );
      assert.equal((await client.get<{ apps: AppEntry[] }>('/api/addons/apps')).body.apps, []);
      assert.is(
        (await client.dispatch({ action: 'addons-installed', operationId: 'op-1', arguments: {} })).status,
        200,
      );
    }),
  ));

test('the official library of a build is an index like any other [LIBRARY-014]', () => {
  const bytes = readFileSync(join(ROOT, 'dist/library/index.yaml'));
  const text = bytes.toString('utf8').replaceAll(ORIGIN, 'http://127.0.0.1:1');
  const options = { sourceId: 'official', allowLoopbackHTTP: true };
  const index = parseLibraryIndex(new TextEncoder().encode(text), options);
  assert.ok(isRight(index) && index.right.releases.length > 0 && index.right.skipped === 0);
  for (const { digest, mutable } of index.right.releases) assert.ok(digest !== '' && mutable === undefined);
});

test('the flag of the official library counts at the first start and never later [LIBRARY-028] [LIBRARY-027]', async () => {
  await withData(async (path) => {
    await withServer(path, ['--addons-official-library=false'], async (client) =>
      assert.is(await find(client, 'official'), undefined),
    );
    await withServer(path, [], async (client) => assert.is(await find(client, 'official'), undefined));
  });
  await withData(async (path) => {
    await withServer(path, [], async (client) => assert.is((await find(client, 'official'))?.enabled, true));
    await withServer(path, ['--addons-official-library=false'], async (client) => {
      const kept = await find(client, 'official');
      assert.equal([kept?.enabled, kept?.removed], [true, false]);
      assert.match(kept?.url ?? '', /^http:\/\/127\.0\.0\.1:\d+\/index\.yaml$/);
    });
  });
});

test('with the official libraries off by the flag, the built-in library is listed and offers nothing, until the switch [SOURCES-020] [SOURCES-021] [SOURCES-025]', () =>
  withData((path) =>
    withServer(path, ['--official-libraries=false'], async (client) => {
      const offered = async () =>
        (
          await client.dispatch<{ payload: { total: number } }>({
            action: 'catalog-search',
            operationId: 's',
            arguments: {},
          })
        ).body.payload.total;
      assert.equal((await client.get('/api/settings')).body, { official_libraries: false });
      assert.is((await find(client, 'official'))?.suspended, true);
      assert.is(await offered(), 0);
      assert.is((await client.post('/api/settings', { official_libraries: true })).status, 200);
      await eventually(async () => (await offered()) > 0);
    }),
  ));

test('a private library that mirrors the packages is all an install needs, and what was installed outlives a restart [LIBRARY-024] [LIBRARY-025]', () =>
  withData(async (path) => {
    const library = await counterLibrary();
    const id = await withServer(path, ['--addons-official-library=false'], async (client) => {
      const add = ['library', 'add', '--id', 'private', '--url', library.url, '--allow-loopback-http'];
      assert.is((await castellan(path, ...add)).code, 0);
      const found = await client.dispatch<{ payload: { releases: { id: string; version: string }[] } }>({
        action: 'catalog-search',
        operationId: 's',
        arguments: { sourceId: 'private' },
      });
      const [release] = found.body.payload.releases;
      const args = { sourceId: 'private', version: release?.version };
      const done = await client.dispatch({
        action: 'install',
        addonId: release?.id,
        operationId: 'op-1',
        arguments: args,
      });
      assert.is(done.status, 200, JSON.stringify(done.body));
      return release?.id;
    });
    await library.close();
    await withServer(path, [], async (client) => {
      const { apps } = (await client.get<{ apps: AppEntry[] }>('/api/addons/apps')).body;
      assert.equal(
        apps.map((app) => app.id),
        [id],
      );
    });
  }));

test.run();
