/** What an approval card says: who asks, what it does to what, how long there is, and whose word the count is. */
import { createProposal, importProposal, iso, unknownProposal, updateProposal } from '../../ui/dev/mock-data.js';
import { browserSuite, caughtUp, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('approval card');

test('a card says who asks, through what, what it does it to, and that the count is the word of the add-on', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
  });
  const { page } = await studio.page(mock, '/app/approvals');
  const card = page.getByRole('article', { name: 'Change data in Airports' });
  await card.waitFor();
  const text = (await card.textContent()) ?? '';
  for (const words of [
    'Local owner',
    'a program without sign-in that calls itself “curl/8.11”',
    'Import CSV',
    '3,376 changes, says Tables',
    '5 of 3,376 shown.',
  ]) {
    assert.ok(text.includes(words), `the card says ${words}`);
  }
  await card.getByRole('button', { name: 'Show all 20 of the sample' }).click();
  assert.ok(((await card.textContent()) ?? '').includes('20 of 3,376 shown. The add-on listed no more than these.'));
});

test('a change of fields is shown as before and after, in words for a screen reader too', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [updateProposal()];
  });
  const { page } = await studio.page(mock, '/app/approvals');
  const field = page.locator('.change-field').first();
  await field.waitFor();
  const lines = await field.locator('dt, dd').allTextContents();
  assert.equal(lines, ['name', '−before: Arcata', '+after: California Redwood Coast – Humboldt County']);
});

test('the countdown runs each second without a word to a screen reader, which hears the last minute only', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [{ ...importProposal(), expiresAt: iso(150_000) }];
  });
  const { page, advance } = await studio.page(mock, '/app/approvals', { fakeClock: true });
  const timer = page.getByRole('timer');
  await timer.waitFor();
  assert.is(await timer.getAttribute('aria-live'), 'off');
  const first = await timer.textContent();
  const heard = async () => (await page.getByTestId('announcer').textContent()) ?? '';
  await advance(1_000);
  await until(async () => (await timer.textContent()) !== first, 'the eye sees each second');
  assert.is(await heard(), '');
  await until(async () => {
    await advance(1_000);
    return (await heard()) !== '';
  }, 'the last minute is said');
  assert.match(await heard(), /Change data in Airports: (1 min 00|5\d) s left to decide\./);
  const said = await heard();
  await advance(10_000);
  await until(async () => /^(50|4\d) s left$/.test((await timer.textContent()) ?? ''), 'the seconds go on');
  assert.is(await heard(), said, 'nothing more is said until the last seconds');
});

test('a proposal that runs out while it is shown says so in its place', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [{ ...importProposal(), expiresAt: iso(20_000) }];
  });
  const { page, advance } = await studio.page(mock, '/app/approvals', { fakeClock: true });
  await page.locator('.btn-confirm').waitFor();
  await advance(21_000);
  await page.getByText('It was not confirmed in time. Nothing was changed.').waitFor();
  assert.is(await page.locator('.btn-confirm').count(), 0);
});

test('a change of an add-on that is off says so, cannot be confirmed, and can be cancelled', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
    state.apps = state.apps.map((app) => (app.id === 'tables' ? { ...app, enabled: false, state: 'stopped' } : app));
  });
  const { page, advance } = await studio.page(mock, '/app/approvals', { fakeClock: true });
  const confirm = page.locator('.btn-confirm');
  await page.getByText('Tables is off. Turn it on to confirm this change.').waitFor();
  await advance(1_000);
  assert.is(await confirm.getAttribute('aria-disabled'), 'true');
  const described = await confirm.getAttribute('aria-describedby');
  assert.match((await page.locator(`[id="${described}"]`).textContent()) ?? '', /Tables is off/);
  await confirm.click({ force: true });
  await caughtUp(page);
  assert.is(mock.calls.filter(({ path }) => path.endsWith('/confirm')).length, 0);
  await page.getByRole('button', { name: /^Cancel/ }).click();
  await until(async () => mock.calls.some(({ path }) => path.endsWith('/cancel')), 'it was cancelled');
});

test('a proposal that is held back cannot be confirmed and names the earlier change', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [{ ...createProposal(), blocked: true, blockedBy: unknownProposal().id }, unknownProposal()];
  });
  const { page, advance } = await studio.page(mock, '/app/approvals', { fakeClock: true });
  await page.getByText('Held back by an earlier change').waitFor();
  await advance(1_000);
  await page.locator('.btn-confirm').click({ force: true });
  await caughtUp(page);
  assert.is(mock.calls.filter(({ path }) => path.endsWith('/confirm')).length, 0);
  assert.is(
    await page.getByRole('link', { name: 'Go to the earlier change' }).getAttribute('href'),
    `#unsettled-${unknownProposal().id}`,
  );
});

test.run();
