/** Who serves a built-in tool, and what the page says of the isolation of commands: in doubt a warning, never a badge. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Mock } from '../../ui/dev/mock.js';
import { reported, twoProviders } from '../../ui/dev/mock-providers.js';
import { browserSuite, caughtUp, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('tool providers');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TOOLS = '/api/admin/tool-providers';
const ISOLATED = 'says that its commands are isolated';

async function opened(mock: Mock) {
  const { page, problems } = await studio.page(mock, '/app/addons?detail=tables');
  const pane = page.getByRole('complementary', { name: 'Tables' });
  await pane.getByText('Built-in tools it can replace').click();
  const status = pane.getByRole('region', { name: 'Isolation of commands' });
  return { page, problems, pane, status };
}

/** Who comes back to the page has every list read at once. */
const readAgain = (page: Page) => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

const puts = (mock: Mock) => mock.calls.filter(({ method, path }) => method === 'PUT' && path === TOOLS);
const choose = async (page: Page, by: string) => {
  await page.getByLabel('Who serves bash').selectOption(by);
  await page.getByRole('button', { name: 'Save choice' }).click();
};

test('a provider that runs commands on the host is shown with a warning, one of unknown isolation too, and neither as isolated [OBSERVE-022] [OBSERVE-023]', async () => {
  const mock = await studio.mock((state) => {
    state.providers = twoProviders();
    state.execution = reported('isolated', { explanation: 'Commands run in a box.' });
  });
  const { page, status } = await opened(mock);
  await status.getByText(ISOLATED, { exact: false }).waitFor();
  await status.getByText('Commands run in a box.').waitFor();
  await status.getByText('It is not verified that its commands follow the network policy.').waitFor();
  assert.is(await status.locator('.notice-warn').count(), 0);
  const doubts = [
    [reported('host'), 'Commands are not isolated'],
    [reported('unknown'), 'Isolation is not known'],
    [reported('unknown', { readiness: 'unavailable' }), 'It cannot run commands now'],
    [{ ...reported('isolated'), provider: { addonId: 'notes', generation: 1 } }, 'Isolation is not known'],
  ] as const;
  for (const [view, words] of doubts) {
    mock.state.execution = view;
    await readAgain(page);
    await status.locator('.notice-warn').getByText(words).waitFor();
    assert.is(await status.getByText(ISOLATED, { exact: false }).count(), 0, words);
  }
  mock.state.execution = reported('isolated', { networkPolicyEnforced: true });
  await readAgain(page);
  await status.getByText('It says that all connections', { exact: false }).waitFor();
  await status.getByText(ISOLATED, { exact: false }).waitFor();
  mock.state.faults.set('GET /api/admin/execution-status', {
    status: 503,
    error: { type: 'addon_error', code: 'fenced', message: 'The storage failed.' },
    times: 1_000,
  });
  await readAgain(page);
  await status.getByText('Isolation is not known').waitFor();
  assert.is(await status.getByText(ISOLATED, { exact: false }).count(), 0, 'the last answer is no claim about now');
});

test('an add-on that replaces nothing shows no such part, and a stopped candidate is marked', async () => {
  const none = await studio.mock();
  const { page } = await studio.page(none, '/app/addons?detail=tables');
  await page.getByText('Limits and use').waitFor();
  await caughtUp(page);
  assert.is(await page.getByText('Built-in tools it can replace').count(), 0);
  const mock = await studio.mock((state) => {
    state.providers = twoProviders();
    state.execution = reported('isolated');
  });
  const { page: other, pane, problems } = await opened(mock);
  const options = await pane.getByLabel('Who serves bash').locator('option').allTextContents();
  assert.equal(options, ['Default: installed first', 'tables', 'notes (stopped)']);
  await pane.getByText('Served now by tables.').waitFor();
  await other.evaluate(AXE);
  const found = await other.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe;
    return (await axe.run()).violations.map(({ id }) => id);
  });
  assert.equal(found, []);
  await choose(other, 'notes');
  await until(() => puts(mock).length === 1, 'the choice is sent');
  const { operationId = '', ...rest } = (puts(mock)[0]?.body ?? {}) as { operationId?: string };
  assert.equal(rest, { revision: 3, choices: { bash: 'notes' } });
  assert.match(operationId, /^choice-/);
  assert.equal(problems, []);
});

test('a conflict keeps what the person chose until they read again, and then it is saved on the new state [PROVIDERS-003]', async () => {
  const mock = await studio.mock((state) => {
    state.providers = twoProviders();
  });
  const { page, pane } = await opened(mock);
  const select = pane.getByLabel('Who serves bash');
  await select.selectOption('notes');
  mock.state.providers = { ...mock.state.providers, revision: 8 };
  await pane.getByRole('button', { name: 'Save choice' }).click();
  await pane.getByText('It changed in the meantime').waitFor();
  assert.is(await select.inputValue(), 'notes');
  assert.ok(await pane.getByRole('button', { name: 'Save choice' }).isDisabled());
  await pane.getByRole('button', { name: 'Read again and keep my change' }).click();
  assert.is(await select.inputValue(), 'notes');
  await pane.getByRole('button', { name: 'Save choice' }).click();
  await until(() => mock.state.providers.revision === 9, 'it is saved');
  assert.equal(
    puts(mock).map(({ body }) => (body as { revision: number }).revision),
    [3, 8],
  );
  await caughtUp(page);
});

test('a choice of unknown outcome is sent again as it was, and nothing else can be sent before', async () => {
  const mock = await studio.mock((state) => {
    state.providers = twoProviders();
    state.faults.set(`PUT ${TOOLS}`, {
      status: 503,
      error: { type: 'outcome_unknown', message: 'The storage failed.' },
      times: 1,
    });
  });
  const { page, pane } = await opened(mock);
  await choose(page, 'notes');
  const again = pane.getByRole('button', { name: 'Send the same change again' });
  await again.waitFor();
  assert.ok(await pane.getByLabel('Who serves bash').isDisabled());
  assert.ok(await pane.getByRole('button', { name: 'Save choice' }).isDisabled());
  await again.click();
  await until(() => mock.state.providers.revision === 4, 'it is saved');
  const [first, second] = puts(mock);
  assert.equal(second?.body, first?.body);
});

test.run();
