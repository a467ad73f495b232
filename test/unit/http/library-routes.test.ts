import { createGateway } from '../../../src/cli/gateway.js';
import type { Backends } from '../../../src/commands/backends/index.js';
import { LibraryAdministration } from '../../../src/commands/library/administration.js';
import type { Lifecycle } from '../../../src/commands/lifecycle/index.js';
import type { Proposals } from '../../../src/commands/proposals/index.js';
import type { Store } from '../../../src/commands/store.js';
import { isLeft, left, right } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import { ROUTES } from '../../../src/http/routes/index.js';
import { assert, suite } from '../../support/harness.js';
import { errorOf, httpFixture, ORIGIN, post } from '../../support/http.js';
import { READER } from '../../support/lifecycle-world.js';

const test = suite('the source routes');

const view = { id: 'lib', kind: 'addon' };

test('adding answers 201 with the source, switching 200, removing 204 with no body [SOURCES-031] [SOURCES-034] [SOURCES-035] [SOURCES-036]', async () => {
  const { app, reached } = httpFixture({
    addSource: right(view),
    switchSource: right(view),
    removeSource: right(undefined),
  });
  const added = await post(app, '/api/library/sources', { kind: 'addon', url: 'https://lib.test/i.yaml' });
  assert.equal([added.status, await added.json()], [201, view]);
  assert.is((await post(app, '/api/library/sources/lib/enable', {})).status, 200);
  assert.is((await post(app, '/api/library/sources/lib/disable', '')).status, 200);
  const removed = await app.request(`${ORIGIN}/api/library/sources/lib`, {
    method: 'DELETE',
    headers: { Host: '127.0.0.1:8080', 'Content-Type': 'application/json' },
  });
  assert.equal([removed.status, await removed.text()], [204, '']);
  assert.equal(
    reached.map(({ method, args }) => [method, ...args]),
    [
      ['addSource', { kind: 'addon', url: 'https://lib.test/i.yaml' }],
      ['switchSource', 'lib', 'enable'],
      ['switchSource', 'lib', 'disable'],
      ['removeSource', 'lib'],
    ],
  );
});

test('a kind that is none of the three, another format, an unknown field or a missing one is 400 and reaches nothing [SOURCES-001]', async () => {
  const { app, reached } = httpFixture();
  const url = 'https://lib.test/i.yaml';
  for (const body of [
    { kind: 'plugin', url },
    { kind: 'Addon', url },
    { kind: 'addon', url, format: 'json' },
    { kind: 'addon', url, policy: { requireSignature: false } },
    { kind: 'addon', url, enabled: true },
    { kind: 'addon', url, id: 'Not An Id' },
    { kind: 'addon' },
    { url },
  ])
    assert.is((await post(app, '/api/library/sources', body)).status, 400, JSON.stringify(body));
  assert.is((await post(app, '/api/library/sources/lib/enable', { id: 'x' })).status, 400);
  assert.is((await post(app, '/api/settings', { official_libraries: 'no' })).status, 400);
  assert.equal(reached, []);
});

test('a refusal of the owner is answered as it is [SOURCES-040]', async () => {
  const { app } = httpFixture({ switchSource: left(refuse('not_found', 'There is no library with this id.')) });
  const answer = await post(app, '/api/library/sources/nowhere/enable', {});
  assert.equal([answer.status, (await errorOf(answer)).code], [404, 'not_found']);
});

test('a caller who is not an administrator gets 403 from every one of them, before anything is read or changed [SOURCES-027]', async () => {
  let asked = 0;
  const administration = new LibraryAdministration({
    library: new Proxy({} as never, {
      get: () => {
        asked += 1;
        throw new Error('the library was reached');
      },
    }),
    admit: async (caller) => (caller.administrator ? right(undefined) : left(refuse('denied', 'No.'))),
    changed: () => undefined,
    stopping: new AbortController().signal,
  });
  const lifecycle = { administration } as unknown as Lifecycle;
  const gateway = createGateway({} as Store, lifecycle, {} as Proposals, {} as Backends);
  const url = 'https://lib.test/i.yaml';
  const answers = [
    await gateway.sources(READER),
    await gateway.addSource(READER, { kind: 'addon', url }),
    await gateway.switchSource(READER, 'lib', 'enable'),
    await gateway.switchSource(READER, 'lib', 'disable'),
    await gateway.removeSource(READER, 'lib'),
    await gateway.settings(READER),
    await gateway.changeSettings(READER, { official_libraries: false }),
  ];
  for (const answer of answers) assert.is(isLeft(answer) && answer.left.refusal, 'denied');
  assert.is(asked, 0);
});

test('they stand outside of the add-on routes, and nothing of them is an MCP tool [SOURCES-042]', () => {
  const paths = ROUTES.filter(({ path }) => path.includes('/api/library/') || path.includes('/settings')).map(
    ({ path }) => path,
  );
  assert.is(paths.length, 7);
  for (const path of paths) assert.not.ok(path.startsWith('/api/addons/') || path.startsWith('/mcp'), path);
});

test.run();
