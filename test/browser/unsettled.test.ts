/** Outcomes that are not known, and what was decided before. */
import { unknownProposal } from '../../ui/dev/mock-data.js';
import { browserSuite, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('unsettled and history');

test('an unknown outcome can be looked up, and resolved with a reason and the digest', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [unknownProposal()];
  });
  const { page } = await studio.page(mock, '/app/approvals');
  await page.getByRole('button', { name: 'Look for its receipt' }).click();
  await page.getByText('Still not known').first().waitFor();
  assert.equal(mock.calls.find(({ path }) => path.endsWith('/reconcile'))?.body, {});
  await page.getByRole('button', { name: 'Stop waiting…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop waiting for this answer?' });
  await dialog.getByRole('button', { name: 'Stop waiting' }).click();
  await dialog.getByText('Write a reason').waitFor();
  await dialog.getByLabel('Reason').fill('I looked at the rows; they are gone.');
  await dialog.getByRole('button', { name: 'Stop waiting' }).click();
  await page.locator('.outcome').getByText('Nobody waits for its answer any more.').waitFor();
  const sent = mock.calls.find(({ path }) => path.endsWith('/resolve'));
  assert.equal(sent?.body, { digest: unknownProposal().digest, reason: 'I looked at the rows; they are gone.' });
  assert.is(sent?.headers['x-localai-confirm'], unknownProposal().id);
});

test('the history is filtered by how a proposal ended', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/approvals?show=history');
  const rows = page.locator('.history > li');
  await until(async () => (await rows.count()) === 4, 'all four are listed');
  await page.getByLabel('Rejected').check();
  await until(async () => (await rows.count()) === 1, 'one was rejected');
  await rows.locator('summary').first().click();
  await rows.getByText('The table changed after this was prepared').waitFor();
});

test.run();
test.run();
