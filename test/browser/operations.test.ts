/** Turning on and off, installing and removing: one operation id an action, and never a second submission (12:334-344). */
import type { Mock } from '../../ui/dev/mock.js';
import { browserSuite, caughtUp, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('operations on add-ons');

const sent = (mock: Mock, end: string) =>
  mock.calls
    .filter(({ path }) => path.endsWith(end))
    .map(({ body }) => body as { operationId: string; generation: number });
const statusReads = (mock: Mock) =>
  mock.calls
    .map(({ body }) => body as { action?: string; arguments?: { operationId?: string } } | undefined)
    .filter((body) => body?.action === 'operation-status')
    .map((body) => body?.arguments?.operationId);
const unknown = (times: number) => ({
  status: 503,
  error: { type: 'outcome_unknown', message: 'No answer came in time.' },
  times,
});

test('each click is a new operation with the listed generation [MANAGEPAGE-026]', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/addons?detail=tables');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('button', { name: 'Turn on', exact: true }).click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  const [stop] = sent(mock, '/stop');
  const [start] = sent(mock, '/start');
  assert.is(stop?.generation, 3);
  assert.match(String(stop?.operationId), /^[a-z][a-z0-9-]{0,63}$/);
  assert.is.not(stop?.operationId, start?.operationId);
});

test('an operation refused before it was recorded keeps its id for the retry [MANAGEPAGE-026] [MANAGEPAGE-030]', async () => {
  const mock = await studio.mock((state) => {
    state.faults.set('POST /api/addons/apps/tables/stop', {
      status: 503,
      error: { type: 'addon_error', code: 'unavailable', message: 'Away.' },
      times: 1,
    });
  });
  const { page } = await studio.page(mock, '/app/addons?detail=tables');
  const before = () => mock.calls.filter(({ path }) => path === '/api/addons/apps').length;
  const listed = before();
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: 'Turn off' }).click();
  await pane.getByText('Not available just now').waitFor();
  await until(() => before() > listed, 'the list is read again');
  await pane.getByRole('button', { name: 'Try again' }).click();
  await pane.getByRole('button', { name: 'Turn on', exact: true }).waitFor();
  const [first, second] = sent(mock, '/stop');
  assert.is(first?.operationId, second?.operationId);
});

test('a refused operation drops its id, and the retry is a new one for the generation that is listed now [MANAGEPAGE-026]', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/addons?detail=tables');
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: 'Turn off' }).waitFor();
  mock.state.apps = mock.state.apps.map((app) => (app.id === 'tables' ? { ...app, generation: 4 } : app));
  await pane.getByRole('button', { name: 'Turn off' }).click();
  await pane.getByText('Not allowed').waitFor();
  await until(() => mock.calls.at(-1)?.path !== '/api/addons/apps/tables/stop', 'the list is read again');
  await caughtUp(page);
  await pane.getByRole('button', { name: 'Try again' }).click();
  await pane.getByRole('button', { name: 'Turn on', exact: true }).waitFor();
  const [first, second] = sent(mock, '/stop');
  assert.is(first?.generation, 3);
  assert.is(second?.generation, 4);
  assert.is.not(first?.operationId, second?.operationId);
});

test('after an unknown outcome only the status is read; then the person checks or dismisses, and nothing else is sent [MANAGEPAGE-027] [MANAGEPAGE-028]', async () => {
  const mock = await studio.mock((state) => {
    state.faults.set('POST /api/addons/apps/tables/stop', unknown(1));
  });
  const { page, advance } = await studio.page(mock, '/app/addons?detail=tables', { fakeClock: true });
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: 'Turn off' }).click();
  await until(
    async () => {
      await advance(3_000);
      return (await pane.getByRole('button', { name: 'Check status' }).count()) === 1;
    },
    'the reads end',
    100_000,
  );
  const [stop] = sent(mock, '/stop');
  const reads = statusReads(mock);
  assert.ok(reads.length > 3 && reads.every((id) => id === stop?.operationId), 'every read is of the same operation');
  await pane.getByRole('button', { name: 'Turn off' }).click({ force: true });
  await pane.getByRole('button', { name: 'Remove…' }).click({ force: true });
  await caughtUp(page);
  assert.is(sent(mock, '/stop').length, 1);
  assert.is(await page.getByRole('dialog').count(), 0);
  const before = statusReads(mock).length;
  await pane.getByRole('button', { name: 'Check status' }).click();
  await until(() => statusReads(mock).length === before + 1, 'one more read');
  await pane.getByRole('button', { name: 'Dismiss' }).click();
  await pane.getByRole('button', { name: 'Turn off' }).click();
  await until(() => sent(mock, '/stop').length === 2, 'free again');
  assert.is.not(sent(mock, '/stop')[1]?.operationId, stop?.operationId);
});

test('a completed operation that changed nothing is told [MANAGEPAGE-029]', async () => {
  const mock = await studio.mock();
  mock.state.faults.set('POST /api/addons/apps/tables/stop', unknown(1));
  const { page } = await studio.page(mock, '/app/addons?detail=tables');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await until(() => sent(mock, '/stop').length === 1, 'sent');
  mock.state.operations.set(String(sent(mock, '/stop')[0]?.operationId), {
    addonId: 'tables',
    action: 'disable',
    state: 'completed',
    bytes: 0,
    totalBytes: 0,
  });
  await page.getByRole('complementary').getByText('Nothing changed').waitFor();
});

test('install and turn on shows the bytes and ends with the add-on turned on', async () => {
  const mock = await studio.mock((state) => {
    state.installMs = 4_000;
  });
  const { page } = await studio.page(mock, '/app/addons?tab=browse');
  const card = page.locator('[data-release=reader]');
  await card.getByRole('button', { name: 'Install and turn on' }).click();
  await card.getByText(/\d+ (MB|kB|B) of 49 MB/).waitFor();
  await card.getByText('Installed').waitFor();
  assert.is(mock.state.apps.find(({ id }) => id === 'reader')?.enabled, true);
  const body = mock.calls
    .map((call) => call.body as { action?: string; arguments?: object })
    .find((each) => each?.action === 'install');
  assert.equal(body?.arguments, { sourceId: 'workshop', version: '1.3.2' });
});

test.run();
