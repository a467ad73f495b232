/** What an administrator sees and sets of an add-on's process in its details. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { browserSuite, caughtUp, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('care of a process');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LOG = '/api/admin/addons/tables/log';

test('the recent output is read when it is opened, follows what is written, and shows hidden characters', async () => {
  const mock = await studio.mock();
  const { page, problems } = await studio.page(mock, '/app/addons?detail=tables');
  const pane = page.getByRole('complementary', { name: 'Tables' });
  await pane.getByText('Recent output').waitFor();
  await caughtUp(page);
  assert.is(mock.calls.filter(({ path }) => path === LOG).length, 0, 'nothing is asked for while it is closed');
  await pane.getByText('Recent output').click();
  const output = pane.getByRole('region', { name: 'Recent output of Tables' });
  await output.getByText('imported 1,024 rows from airports.csv').waitFor();
  assert.is(await output.locator('.hidden-char').count(), 1);
  mock.state.output = [
    ...mock.state.output,
    ...Array.from({ length: 120 }, (_, n) => `line ${n} ${'long '.repeat(40)}`),
  ];
  await output.getByText('line 119').waitFor();
  assert.ok(
    await output.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 4),
    'it stays at the end',
  );
  await output.focus();
  await page.keyboard.press('Home');
  await until(async () => (await output.evaluate((box) => box.scrollTop)) === 0, 'the keyboard scrolls it');
  mock.state.output = [...mock.state.output, 'one more'];
  await output.getByText('one more').waitFor();
  assert.is(await output.evaluate((box) => box.scrollTop), 0, 'who reads above is left there');
  assert.equal(problems, []);
});

test('limits are set beside what is used now, a wrong number is not sent, and an empty field is no limit', async () => {
  const mock = await studio.mock();
  const { page, problems } = await studio.page(mock, '/app/addons?detail=tables');
  const pane = page.getByRole('complementary', { name: 'Tables' });
  await pane.getByText('Limits and use').click();
  const memory = pane.getByLabel('Memory (MiB)');
  await memory.waitFor();
  for (const words of ['42 MiB now', '3 % now', '23 now']) await pane.getByText(words, { exact: true }).waitFor();
  assert.is(await pane.getByLabel('Open files of a process').inputValue(), '256');
  const puts = () => mock.calls.filter(({ method }) => method === 'PUT');
  await memory.fill('3');
  await pane.getByRole('button', { name: 'Save limits' }).click();
  await pane.getByText('A whole number from 16', { exact: false }).waitFor();
  assert.is(await memory.getAttribute('aria-invalid'), 'true');
  assert.is(puts().length, 0);
  await memory.fill('200');
  await pane.getByLabel('Open files of a process').fill('');
  await pane.getByRole('button', { name: 'Save limits' }).click();
  await until(() => puts().length === 1, 'the limits are sent');
  assert.equal(puts()[0]?.body, { memoryBytes: 209_715_200, cpuMillis: null, openFiles: null, processes: null });
  mock.state.faults.set('PUT /api/admin/addons/tables/limits', {
    status: 503,
    error: { type: 'insufficient_storage', message: 'The disk is almost full.' },
    times: 1,
  });
  await pane.getByRole('button', { name: 'Save limits' }).click();
  await pane.getByText('The disk is almost full.', { exact: false }).waitFor();
  assert.equal(problems, []);
});

test('a person who is no administrator gets neither, and a restart says why', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/addons?manage=mail-archive');
  await page.getByText('it used 210 MiB of memory, and its limit is 200 MiB', { exact: false }).waitFor();
  const plain = await studio.mock((state) => {
    state.administrator = false;
  });
  const { page: other } = await studio.page(plain, '/app/addons?detail=tables');
  await other.getByRole('complementary').waitFor();
  assert.is(await other.getByText(/Recent output|Limits and use/).count(), 0);
});

test('in every state of a process a reload shows the state the server tells, and no earlier one', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/addons?detail=tables');
  const card = page.locator('[data-addon=tables]');
  const steps = [
    ['starting', true, 'Starting'],
    ['running', true, 'On'],
    ['failed', true, 'Failed'],
    ['stopped', false, 'Off'],
    ['running', true, 'On'],
  ] as const;
  for (const [state, enabled, words] of steps) {
    mock.state.apps = mock.state.apps.map((app) => (app.id === 'tables' ? { ...app, state, enabled } : app));
    await page.reload();
    await card.locator('.chip').first().waitFor();
    assert.is(await card.locator('.chip').first().textContent(), words);
    assert.is(await page.getByRole('complementary').locator('.chip').first().textContent(), words);
  }
});

test('on a phone both fit the screen, and neither has a known accessibility fault', async () => {
  const mock = await studio.mock((state) => {
    state.output = [`word ${'x'.repeat(3_000)}`];
  });
  const { page } = await studio.page(mock, '/app/addons?detail=tables', {
    viewport: { width: 360, height: 740 },
    bypassCSP: true,
  });
  await page.getByText('Recent output').click();
  await page.getByText('Limits and use').click();
  await page.getByRole('region', { name: /Recent output/ }).waitFor();
  await page.getByLabel('Processes').waitFor();
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 360'));
  await page.addScriptTag({ content: AXE });
  const found = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))',
  );
  assert.equal(found, []);
});

test.run();
