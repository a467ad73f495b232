/** Deciding on a proposal: by keyboard alone, exactly once, and with what was displayed. */
import { importProposal, updateProposal } from '../../ui/dev/mock-data.js';
import { browserSuite, caughtUp, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('decide on a proposal');

const READY = '[data-proposal] .btn-confirm[data-guard=ready]';
const active = (selector: string) => `document.activeElement?.matches(${JSON.stringify(selector)}) === true`;

test('a proposal is confirmed by keyboard alone, with its id and the digest that was shown', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
  });
  const { page, problems } = await studio.page(mock, '/app/approvals');
  await page.locator(READY).waitFor();
  for (let presses = 0; !(await page.evaluate(active('.btn-confirm'))); presses += 1) {
    assert.ok(presses < 40, 'Confirm is reached with the Tab key');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByText('The change was made, once.').first().waitFor();
  const sent = mock.calls.filter(({ path }) => path.endsWith('/confirm'));
  assert.is(sent.length, 1);
  assert.is(sent[0]?.headers['x-localai-confirm'], 'import-airports-7c21');
  assert.equal(sent[0]?.body, { digest: importProposal().digest });
  assert.is(sent[0]?.headers['sec-fetch-site'], 'same-origin');
  assert.ok(await page.evaluate(active('[data-proposal] h2')), 'the focus is on what was decided, not lost');
  assert.match((await page.getByTestId('announcer').textContent()) ?? '', /Applied/);
  assert.equal(problems, []);
});

test('cancel withdraws the proposal, and its card stays in its place and says so', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [updateProposal(), importProposal()];
  });
  const { page } = await studio.page(mock, '/app/approvals');
  const first = page.locator('[data-proposal]').first();
  assert.is(await first.getAttribute('data-proposal'), updateProposal().id, 'the oldest is first');
  await first.getByRole('button', { name: /^Cancel/ }).click();
  await first.getByText('It was withdrawn. Nothing was changed.').waitFor();
  assert.equal(mock.calls.find(({ path }) => path.endsWith('/cancel'))?.body, {});
  assert.is(await page.locator('[data-proposal]').first().getAttribute('data-proposal'), updateProposal().id);
  await first.getByRole('button', { name: 'Hide' }).click();
  await until(
    async () => (await page.locator('[data-proposal]').count()) === 1,
    'the decided card goes when it is hidden',
  );
});

test('a server that asks for the code of its terminal gets it, and the confirmation goes on', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
    state.confirmCode = 'oak-42';
  });
  const { page } = await studio.page(mock, '/app/approvals');
  await page.locator(READY).click();
  const dialog = page.getByRole('dialog', { name: 'Prove that you are at the server' });
  await dialog.getByLabel('Code from the terminal').fill('elm-17');
  await page.keyboard.press('Enter');
  await dialog.getByText('That is not the code.').waitFor();
  await dialog.getByLabel('Code from the terminal').fill('oak-42');
  await page.keyboard.press('Enter');
  await page.getByText('The change was made, once.').first().waitFor();
  assert.equal(
    mock.calls.filter(({ path }) => path === '/api/local-confirm').map(({ body }) => body),
    [{ code: 'elm-17' }, { code: 'oak-42' }],
  );
});

test('after a lost answer the page reads what is recorded instead of sending again', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
    state.faults.set('POST /api/addons/proposals/import-airports-7c21/confirm', { status: 0, cut: true, times: 9 });
  });
  const { page, advance } = await studio.page(mock, '/app/approvals', { fakeClock: true });
  await page.locator('[data-proposal] .btn-confirm').waitFor();
  await until(async () => {
    await advance(200);
    return (await page.locator(READY).count()) === 1;
  }, 'the guard runs down');
  await page.locator(READY).click();
  await page.getByText('No answer came, and the proposal still waits').waitFor();
  const confirms = () => mock.calls.filter(({ path }) => path.endsWith('/confirm')).length;
  const sent = confirms();
  await advance(60_000);
  await caughtUp(page);
  assert.is(confirms(), sent, 'nothing is sent without the person');
});

test.run();
